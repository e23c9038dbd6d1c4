import type { Citation, SessionView } from '@parley/contracts'
import { focusIfLost } from '../ui/focus.ts'
import { Button } from '../ui/button.tsx'
import { pluralize } from '../ui/format.ts'
import { escapeInvisible } from '../ui/escape-invisible.ts'
import { type EvidenceText, splitUsedResults } from './citations/find-citations.ts'
import { PermissionsView, describeRecord } from './permissions.tsx'
import { useMayBegin, useTalkHost } from './talk-host.ts'

interface SummaryProps {
  readonly title: string
  readonly durationMs: number
  readonly answers: number
  readonly sources: readonly string[]
  /** From the server; undefined while loading or no longer available. */
  readonly session: SessionView | undefined
  readonly isOffRecord: boolean
  /** Set if it can continue in text; pending until the transcript has arrived. */
  readonly continuation?: { readonly isPending: boolean; readonly onContinue: () => void } | undefined
  readonly onNew: () => void
}

export function SummaryView(props: SummaryProps) {
  const { title, durationMs, answers, sources, session, isOffRecord, continuation, onNew } = props
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
        <dt className="text-soft">Duration</dt>
        <dd>{formatCallDuration(durationMs)}</dd>
        <dt className="text-soft">Answers</dt>
        <dd>{answers}</dd>
        <dt className="text-soft">Sources used</dt>
        <dd className="wrap-anywhere">
          {sources.length > 0 ? sources.map(escapeInvisible).join(', ') : 'None'}
        </dd>
        {ingestion && (
          <>
            <dt className="text-soft">Record</dt>
            <dd>{describeRecord(ingestion, session?.status)}</dd>
          </>
        )}
      </dl>
      {!isOffRecord && <PermissionsView session={session} />}
      <div className="flex flex-wrap gap-2">
        {continuation && (
          <Button
            variant="primary"
            aria-disabled={continuation.isPending}
            onClick={() => continuation.isPending || continuation.onContinue()}
          >
            {continuation.isPending ? 'Waiting for the transcript…' : 'Continue in text'}
          </Button>
        )}
        {mayBegin && <Button onClick={onNew}>New conversation</Button>}
        {member && session && !isOffRecord && <member.SessionLink sessionId={session.sessionId} />}
      </div>
    </section>
  )
}

/** A duration in words: "5 seconds", "2 min 10 s". */
export function formatCallDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  if (seconds < 60) return pluralize(seconds, 'second')
  const minutes = Math.floor(seconds / 60)
  const rest = seconds % 60
  return `${minutes} min${rest > 0 ? ` ${rest} s` : ''}`
}

/** A duration as a clock shows it: 1:05. */
export function formatClock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

interface AnswerWithResults {
  readonly answer: string
  readonly evidence: readonly EvidenceText[]
}

/** Titles of the sources that the answers used, without duplicates, in order of use. */
export const listUsedSources = (answered: readonly AnswerWithResults[], name: string): readonly string[] => [
  ...new Set(
    answered.flatMap(({ answer, evidence }) =>
      splitUsedResults(answer, evidence, name).used.map(({ source }) => source.title),
    ),
  ),
]

export const collectEvidence = (citations: readonly Citation[] = []): readonly EvidenceText[] =>
  citations.flatMap(({ evidence }) => evidence)
