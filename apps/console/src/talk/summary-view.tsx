import type { SessionView } from '@parley/contracts'
import { Button } from '../ui/button.tsx'
import { focusIfLost } from '../ui/focus-if-lost.ts'
import { visibleText } from '../ui/visible-text.ts'
import { keepingInWords } from './allowed-in-words.ts'
import { AllowedView } from './allowed-view.tsx'
import { durationInWords } from './summary.ts'
import { useMayBegin, useTalkHost } from './talk-host.ts'

interface SummaryProps {
  readonly title: string
  readonly lastedMs: number
  readonly answers: number
  readonly sources: readonly string[]
  /** As the server knows it; absent while it is asked, and where it tells nothing any more. */
  readonly session: SessionView | undefined
  readonly isOffRecord: boolean
  /** Given where it can be gone on with in writing; `waits` while what was said is not in yet. */
  readonly goOn?: { readonly waits: boolean; readonly onGoOn: () => void } | undefined
  readonly onNew: () => void
}

/** What a conversation came to. */
export function SummaryView(props: SummaryProps) {
  const { title, lastedMs, answers, sources, session, isOffRecord, goOn, onNew } = props
  const { member } = useTalkHost()
  const mayBegin = useMayBegin()
  const ingestion = isOffRecord ? 'off-record' : session?.reflection?.ingestion
  return (
    <section
      aria-label="Summary"
      className="border-line flex flex-col gap-4 border-t pt-6 text-sm leading-6 lg:ms-30"
    >
      <h2 ref={focusIfLost} tabIndex={-1} className="w-fit font-serif text-xl outline-offset-4">
        {title}
      </h2>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        <dt className="text-soft">Lasted</dt>
        <dd>{durationInWords(lastedMs)}</dd>
        <dt className="text-soft">Answers</dt>
        <dd>{answers}</dd>
        <dt className="text-soft">Drew from</dt>
        <dd className="wrap-anywhere">
          {sources.length > 0 ? sources.map(visibleText).join(', ') : 'No source'}
        </dd>
        {ingestion && (
          <>
            <dt className="text-soft">Record</dt>
            <dd>{keepingInWords(ingestion, session?.status)}</dd>
          </>
        )}
      </dl>
      {!isOffRecord && <AllowedView session={session} />}
      <div className="flex flex-wrap gap-2">
        {goOn && (
          <Button look="main" aria-disabled={goOn.waits} onClick={() => goOn.waits || goOn.onGoOn()}>
            {goOn.waits ? 'Waiting for the transcript…' : 'Go on by typing'}
          </Button>
        )}
        {mayBegin && <Button onClick={onNew}>New conversation</Button>}
        {member && session && !isOffRecord && <member.SessionLink sessionId={session.sessionId} />}
      </div>
    </section>
  )
}
