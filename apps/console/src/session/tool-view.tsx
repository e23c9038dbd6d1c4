import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import {
  type CallSummary,
  type MediaHandle,
  type SessionId,
  unfenced,
  type VoiceAction,
} from '@parley/contracts'
import { Aside } from './aside.tsx'
import { callSubject } from './call-subject.ts'
import { decisionInWords } from './decision-in-words.ts'
import { durationInWords } from './duration-in-words.ts'
import { foundIn } from './found-in.ts'
import { FoundList } from './found-list.tsx'
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
  const doing = DOINGS[call.name]
  const result = outcome && unfenced(outcome.text)
  const found = doing !== undefined && outcome?.kind === 'ok' && result ? foundIn(result) : undefined
  const exchanged = (
    <>
      <TextBox label="Input" text={JSON.stringify(call.input, undefined, 2)} />
      {outcome && <TextBox label="Result" text={result || '(nothing)'} />}
    </>
  )
  const isAskedPlainly = turn.waitsFor?.callId === call.id && !turn.waitsFor.preview
  return (
    <Aside
      open={isAskedPlainly}
      summary={
        <>
          {doing === undefined ? (
            <>
              Tool <span className="font-mono">{visibleText(call.name)}</span>
              {subject !== '' && <span className="font-mono"> {subject}</span>}
            </>
          ) : (
            <>
              {doing}
              {subject !== '' && ` “${subject}”`}
            </>
          )}
          : <span className={WENT_WRONG.has(progress) ? 'text-alarm' : undefined}>{progress}</span>
          {known && <CallTime call={known} />}
        </>
      }
    >
      {known?.by && <p>{decisionInWords(known)}</p>}
      {found === undefined ? (
        exchanged
      ) : (
        <>
          <FoundList found={found} />
          <details>
            <summary className="hover:text-ink w-fit py-1">As the model was told</summary>
            <div className="flex flex-col gap-2 pt-1">{exchanged}</div>
          </details>
        </>
      )}
      {outcome?.whole && turn.question && (
        <WholeResult sessionId={turn.question.sessionId} handle={outcome.whole} />
      )}
    </Aside>
  )
}

/** What the tools of a reflection do, in words. */
const DOINGS: Readonly<Record<string, string>> = {
  'retrieve-context': 'Looked up',
  'request-source-ingest': 'Asked to learn',
  'propose-fact-correction': 'Proposed a correction of',
} satisfies Record<VoiceAction, string>

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
