import type { Reflection } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import { publicInWords } from '../reflections/public-in-words.ts'
import { useSummaryOf } from '../reflections/overview/use-summary.ts'
import { Icon } from '../ui/icon.tsx'
import { canSpeak } from './first-to-talk-with.ts'
import { type Learning, learningOf } from './learning-in-words.ts'

const LOOK_AGAIN_MS = { busy: 1_000, idle: 30_000 } as const

/** The first thing to do here. */
export function TalkHero({ reflection }: { reflection: Reflection }) {
  const { id, displayName, namespaces } = reflection
  const learning = useLearning(reflection)
  return (
    <section aria-labelledby="talk-title" className="flex flex-col gap-4">
      <h2 id="talk-title" className="font-serif text-3xl text-balance wrap-anywhere">
        {displayName}
      </h2>
      <p className="text-soft max-w-prose text-sm leading-6">
        A reflection: it answers from what {displayName} wrote and said, and shows where each answer comes
        from.
      </p>
      <Link
        to="/reflections/$reflectionId/talk"
        params={{ reflectionId: id }}
        data-tour="talk"
        className="bg-accent text-on-accent flex min-h-14 w-fit items-center gap-3 rounded-lg px-7 py-3 text-lg font-medium hover:opacity-90 max-sm:w-full max-sm:justify-center"
      >
        <Icon name={canSpeak(reflection) ? 'microphone' : 'sessions'} />
        Talk with {displayName}
      </Link>
      <Progress learning={learning} />
      <p className="text-sm leading-6">
        <span className="inline-block first-letter:uppercase">{publicInWords(namespaces)}.</span>{' '}
        <Link to="/reflections/$reflectionId" params={{ reflectionId: id }} className="text-accent underline">
          See what it knows and what is public
        </Link>
      </p>
    </section>
  )
}

/** As high while it is learned as when it is not known yet, so that nothing moves. */
function Progress({ learning }: { learning: Learning | undefined }) {
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-x-4 text-sm max-sm:min-h-12">
      {learning && <p role="status">{learning.words}</p>}
      {learning && !learning.isOver && (
        <progress aria-label="Sources read" className="w-40" value={learning.done} max={learning.total} />
      )}
    </div>
  )
}

function useLearning({ id }: Reflection): Learning | undefined {
  const { data } = useSummaryOf(id, ({ sources }) => LOOK_AGAIN_MS[sources.busy > 0 ? 'busy' : 'idle'])
  return data && learningOf(data)
}
