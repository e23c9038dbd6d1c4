import { Link } from '@tanstack/react-router'
import { type Reflection, type ReflectionSummary, missingOfVoice } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { useApprovals, useMayDecide } from '../approvals/use-approvals.ts'
import { troublesOf } from '../health/troubles.ts'
import { isUnreachable, useHealth } from '../health/use-health.ts'
import { factsIn } from '../reflections/overview/glance-of.ts'
import { useSummaryOf } from '../reflections/overview/use-summary.ts'
import { publicInWords } from '../reflections/public-in-words.ts'
import { useReflections } from '../reflections/use-reflections.ts'
import { isAdmin } from '../shell/navigation.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { useShell } from '../shell/shell-context.ts'
import { useSessions } from '../shell/use-sessions.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { RecentSessions } from './recent-sessions.tsx'

/** What there is to do, the first thing first. */
export function HomePage() {
  const { me } = useConsoleHost()
  const mayDecide = useMayDecide()
  const reflections = useReflections()
  const sessions = useSessions('')
  // What stands below something whose height is not known yet would jump.
  const isKnown = Boolean(reflections.items ?? reflections.error)
  return (
    <>
      <title>Parley</title>
      <PageHeader title="Home" />
      <PageBody width="wide">
        <div className="grid grid-cols-1 gap-x-16 gap-y-10 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="flex min-w-0 flex-col gap-10">
            <First {...reflections} />
            {isKnown && <Doings />}
          </div>
          {isKnown && (
            <div className="flex min-w-0 flex-col gap-8">
              {mayDecide && <WaitingForYou />}
              <RecentSessions />
              {isAdmin(me.role) && (sessions.data ?? sessions.error) && <NotWell />}
            </div>
          )}
        </div>
      </PageBody>
    </>
  )
}

function First({ items, error, again }: ReturnType<typeof useReflections>) {
  if (error && !items) {
    return <Notice action={<Button onClick={again}>Try again</Button>}>{messageOf(error)}</Notice>
  }
  if (!items) return <p className="animate-late text-soft min-h-64 text-sm">Looking for reflections…</p>
  const first = firstToTalkWith(items)
  if (!first) return <NoReflection />
  return (
    <>
      <TalkHero reflection={first} />
      <OtherReflections reflections={items.filter((one) => one !== first)} />
    </>
  )
}

function NoReflection() {
  const { me } = useConsoleHost()
  return (
    <section className="flex min-h-64 max-w-prose flex-col gap-3 text-sm leading-6">
      <h2 className="font-serif text-3xl text-balance">No reflection to talk with yet</h2>
      <p>
        A reflection speaks for a person, from what they wrote and said.{' '}
        {isAdmin(me.role)
          ? 'On a new server the demo appears here by itself within a moment; or make one of your own.'
          : 'An admin of a reflection can add you to it; then it appears here.'}
      </p>
    </section>
  )
}

function Doings() {
  const { me } = useConsoleHost()
  const { newSession } = useShell()
  if (!newSession) return null
  return (
    <section aria-label="What else to do" className="border-line flex flex-col gap-3 border-t pt-6">
      <div className="flex flex-wrap gap-3">
        {isAdmin(me.role) && (
          <Link
            to="/reflections"
            className="border-line hover:border-soft inline-flex min-h-11 items-center gap-2 rounded-md border px-4 text-sm"
          >
            <Icon name="reflections" />
            Make a reflection of your own
          </Link>
        )}
        <Button className="min-h-11" onClick={newSession}>
          <Icon name="sessions" />
          Start a session with an agent
        </Button>
      </div>
    </section>
  )
}

/** Where agents have stopped to ask. As high where none has, so that nothing moves when one does. */
function WaitingForYou() {
  const { data } = useApprovals()
  const count = data?.items.length
  return (
    <section
      aria-label="Waiting for you"
      className={`min-h-13 border-s-2 ps-4 text-sm leading-6 ${count ? 'border-accent' : 'border-line'}`}
    >
      <p className="font-serif text-lg">{count !== undefined && waitingInWords(count)}</p>
      {count !== undefined && (
        <Link to="/approvals" className="text-accent underline">
          {count === 0 ? 'See how agents ask' : 'Decide'}
        </Link>
      )}
    </section>
  )
}

function waitingInWords(count: number): string {
  if (count === 0) return 'No tool call needs your approval'
  return count === 1 ? 'One tool call needs your approval' : `${count} tool calls need your approval`
}

/** What who runs the server should look at; that all is well is said too. */
function NotWell() {
  const { data, dataUpdatedAt, error } = useHealth('1h')
  const troubles = data && !error ? troublesOf(data, dataUpdatedAt) : undefined
  return (
    <section aria-labelledby="health-title" className="flex min-h-16 flex-col gap-2 text-sm leading-6">
      <h2 id="health-title" className="font-serif text-lg">
        Health
      </h2>
      {error && (
        <p className="text-alarm">
          {isUnreachable(error) ? 'The server does not answer.' : 'How the server fares is not known now.'}
        </p>
      )}
      {troubles?.length === 0 && (
        <p>
          All is well.{' '}
          <Link to="/health" className="text-accent underline">
            See how it fares
          </Link>
        </p>
      )}
      {troubles && troubles.length > 0 && (
        <ul>
          {troubles.map(({ words, part }) => (
            <li key={words}>
              <Link to="/health" search={{ range: '1h' }} hash={part} className="text-alarm underline">
                {words}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const MOST_SHOWN = 4

function OtherReflections({ reflections }: { reflections: readonly Reflection[] }) {
  if (reflections.length === 0) return null
  return (
    <section aria-labelledby="others-title" className="flex flex-col gap-2">
      <h2 id="others-title" className="font-serif text-lg">
        Others to talk with
      </h2>
      <ul className="divide-line border-line divide-y border-y">
        {reflections.slice(0, MOST_SHOWN).map(({ id, displayName }) => (
          <li key={id} className="flex items-baseline gap-4 py-2 text-sm">
            <Link
              to="/reflections/$reflectionId"
              params={{ reflectionId: id }}
              className="min-w-0 flex-1 truncate hover:underline"
            >
              {displayName}
            </Link>
            <Link
              to="/reflections/$reflectionId/talk"
              params={{ reflectionId: id }}
              aria-label={`Talk with ${displayName}`}
              className="text-accent py-1 underline"
            >
              Talk
            </Link>
          </li>
        ))}
      </ul>
      {reflections.length > MOST_SHOWN && (
        <Link to="/reflections" className="text-accent text-sm underline">
          All reflections
        </Link>
      )}
    </section>
  )
}

const LOOK_AGAIN_MS = { busy: 1_000, idle: 30_000 } as const

/** The first thing to do here. */
function TalkHero({ reflection }: { reflection: Reflection }) {
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

/** How far a reflection has got with its sources. */
interface Learning {
  readonly isOver: boolean
  readonly done: number
  readonly total: number
  readonly words: string
}

export function learningOf(summary: ReflectionSummary): Learning {
  const { learned, busy, wrong } = summary.sources
  const done = learned + wrong
  const total = done + busy
  return {
    isOver: busy === 0,
    done,
    total,
    words: wordsOf({ done, total, learned, facts: factsIn(summary) }),
  }
}

function wordsOf({
  done,
  total,
  learned,
  facts,
}: Readonly<Record<'done' | 'total' | 'learned' | 'facts', number>>) {
  if (total === 0) return 'It has no sources yet, and nothing to speak of.'
  if (done < total) return `It is still reading: ${done} of ${total} sources.`
  return `It knows ${facts} ${facts === 1 ? 'fact' : 'facts'} from ${learned} ${learned === 1 ? 'source' : 'sources'}.`
}

const canSpeak = ({ voice }: Pick<Reflection, 'voice'>): boolean => missingOfVoice(voice).length === 0

/** The latest that can be spoken with, else the latest; undefined where there is none. */
export const firstToTalkWith = <Listed extends Pick<Reflection, 'voice'>>(
  reflections: readonly Listed[],
): Listed | undefined => reflections.find(canSpeak) ?? reflections[0]
