import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import {
  type CallSummary,
  type MediaHandle,
  type SessionId,
  type VoiceAction,
  unfenced,
} from '@parley/contracts'
import { withoutMarks } from '../markdown/without-marks.ts'
import { visibleText } from '../ui/visible-text.ts'
import { Aside } from './aside.tsx'
import { callSubject } from './call-subject.ts'
import { durationInWords } from './duration-in-words.ts'
import { mediaAddress } from './media-address.ts'

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

/** What was looked up, to be read: the words, and the source that they stand in. */
function FoundList({ found }: { found: readonly Found[] }) {
  if (found.length === 0) return <p>Nothing was found.</p>
  return (
    <ul aria-label="What was found" className="flex flex-col gap-2">
      {found.map(({ text, title }, index) => (
        <li key={index}>
          <p className="line-clamp-3 wrap-anywhere">“{visibleText(withoutMarks(text).trim())}”</p>
          {title !== '' && <p className="text-ink wrap-anywhere">{visibleText(title)}</p>}
        </li>
      ))}
    </ul>
  )
}

type Settling = NonNullable<CallSummary['by']>

const ALLOWED: Readonly<Record<Settling, string>> = {
  grant: 'Allowed, since the agent has this tool.',
  schema: 'Allowed, since its input is well formed.',
  policy: 'Allowed by the rules of this server, without asking.',
  session: 'Allowed earlier for the rest of the session.',
  person: 'Allowed by a person.',
  unattended: 'Allowed, though nobody was there to be asked.',
}

const REFUSED: Readonly<Record<Settling, string>> = {
  grant: 'Refused: the agent has no such tool.',
  schema: 'Refused: its input is not well formed.',
  policy: 'Refused by the rules of this server.',
  session: 'Refused for the rest of the session.',
  person: 'Refused by a person.',
  unattended: 'Refused, since nobody was there to be asked.',
}

/** What was decided of a call, and what settled it. */
export function decisionInWords({ verdict, by, reason }: CallSummary): string {
  if (by === undefined) return ''
  const words = (verdict === 'refused' ? REFUSED : ALLOWED)[by]
  return verdict === 'refused' && reason !== undefined ? `${words} ${reason}` : words
}

/** Something that was looked up, and the source that it stands in. */
export interface Found {
  readonly text: string
  readonly title: string
}

/** What a look into a reflection's sources came to; undefined where a tool told something else. */
export function foundIn(result: string): readonly Found[] | undefined {
  const told = jsonIn(result)
  if (!isRecord(told) || !Array.isArray(told['evidence'])) return undefined
  return told['evidence'].flatMap((one: unknown) => {
    if (!isRecord(one) || typeof one['text'] !== 'string') return []
    return { text: one['text'], title: titleOf(one['source']) }
  })
}

/** A model is told the title alone, a voice provider's agent within the source. */
const titleOf = (source: unknown): string => {
  const title = isRecord(source) ? source['title'] : source
  return typeof title === 'string' ? title : ''
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
