import type { Fact } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../app/console-host.ts'
import { Button } from '../../ui/button.tsx'
import { messageOf } from '../../ui/message-of.ts'
import { Notice } from '../../ui/notice.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { SourceName } from '../source-name.tsx'
import { whenInWords } from './when-in-words.ts'

/** What was so before and after, each with where that is from. */
export function FactHistory({ fact }: { fact: Fact }) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const { data, error, refetch } = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'facts', 'history', fact.id],
    queryFn: () => client.reflections.factHistory({ reflectionId, factId: fact.id }),
  })
  if (error) {
    return (
      <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>{messageOf(error)}</Notice>
    )
  }
  if (!data) return <p className="animate-late text-soft text-sm">Looking it up…</p>
  return (
    <ol
      aria-label={`History of: ${fact.statement}`}
      className="border-line ms-1 flex flex-col gap-3 border-s ps-4"
    >
      {data.map((each) => (
        <Then key={each.id} fact={each} isThis={each.id === fact.id} />
      ))}
    </ol>
  )
}

function Then({ fact, isThis }: { fact: Fact; isThis: boolean }) {
  const [evidence] = fact.evidence
  return (
    <li aria-current={isThis || undefined} className="relative text-sm leading-6">
      <span
        aria-hidden="true"
        className={`absolute -start-[1.31rem] top-2 size-2 rounded-full ${isThis ? 'bg-accent' : 'bg-edge'}`}
      />
      <p className={`wrap-anywhere ${isThis ? '' : 'text-soft'}`}>{visibleText(fact.statement)}</p>
      <p className="text-soft text-xs leading-5 wrap-anywhere">
        {whenInWords(fact) || 'no date known'}
        {evidence && (
          <>
            {' · '}
            <SourceName sourceId={evidence.sourceId} words={evidence.quote} />
          </>
        )}
      </p>
    </li>
  )
}
