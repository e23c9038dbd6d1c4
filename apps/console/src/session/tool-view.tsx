import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import { type CallSummary, type MediaHandle, type SessionId, unfenced } from '@parley/contracts'
import { Aside } from './aside.tsx'
import { callSubject } from './call-subject.ts'
import { decisionInWords } from './decision-in-words.ts'
import { durationInWords } from './duration-in-words.ts'
import { mediaAddress } from './media-address.ts'
import { visibleText } from '../ui/visible-text.ts'

type ToolPart = Extract<AnswerPart, { kind: 'tool' }>

interface ToolViewProps {
  readonly part: ToolPart
  readonly turn: TranscriptTurn
  /** What is known of the turn's calls besides what was said. */
  readonly calls: readonly CallSummary[]
}

/** A call in one line: what, on what, how it stands. Its input and its result are behind it. */
export function ToolView({ part, turn, calls }: ToolViewProps) {
  const { call, outcome } = part
  const known = calls.find(({ callId }) => callId === call.id)
  const progress = progressOf(part, turn)
  const subject = callSubject(call)
  const isAskedPlainly = turn.waitsFor?.callId === call.id && !turn.waitsFor.preview
  return (
    <Aside
      open={isAskedPlainly}
      summary={
        <>
          Tool <span className="font-mono">{visibleText(call.name)}</span>
          {subject !== '' && <span className="font-mono"> {subject}</span>}:{' '}
          <span className={WENT_WRONG.has(progress) ? 'text-alarm' : undefined}>{progress}</span>
          {known && <CallTime call={known} />}
        </>
      }
    >
      {known?.by && <p>{decisionInWords(known)}</p>}
      <TextBox label="Input" text={JSON.stringify(call.input, undefined, 2)} />
      {outcome && <TextBox label="Result" text={unfenced(outcome.text) || '(nothing)'} />}
      {outcome?.whole && turn.question && (
        <WholeResult sessionId={turn.question.sessionId} handle={outcome.whole} />
      )}
    </Aside>
  )
}

/** Of a tool that an agent called in a call, nobody here decided. */
function CallTime({ call: { askedAt, decidedAt = askedAt, endedAt } }: { call: CallSummary }) {
  if (endedAt === undefined) return null
  return (
    <span className="tabular-nums"> · {durationInWords(Date.parse(endedAt) - Date.parse(decidedAt))}</span>
  )
}

interface WholeResultProps {
  readonly sessionId: SessionId
  readonly handle: MediaHandle
}

function WholeResult({ sessionId, handle }: WholeResultProps) {
  return (
    <a className="text-accent self-start underline" href={mediaAddress(sessionId, handle)} download>
      The whole result
    </a>
  )
}

type Progress = 'done' | 'refused' | 'failed' | 'running…' | 'waits for you' | 'without a result'

const WENT_WRONG: ReadonlySet<Progress> = new Set(['refused', 'failed'])

function progressOf({ call, outcome }: ToolPart, { state, waitsFor }: TranscriptTurn): Progress {
  if (outcome?.kind === 'ok') return 'done'
  if (outcome) return outcome.code === 'tool_denied' ? 'refused' : 'failed'
  if (state === 'running') return 'running…'
  return waitsFor?.callId === call.id ? 'waits for you' : 'without a result'
}

const TextBox = ({ label, text }: { label: string; text: string }) => (
  <pre
    role="group"
    aria-label={label}
    tabIndex={0}
    dir="ltr"
    className="bg-shade border-line max-h-80 overflow-auto rounded-sm border px-2.5 py-1.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap"
  >
    {visibleText(text)}
  </pre>
)
