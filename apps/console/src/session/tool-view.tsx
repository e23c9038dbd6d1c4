import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import { AGENT_ACTIONS, type ToolCallSummary, recordByAction, removeFence } from '@parley/contracts'
import { stripMarkdown } from '../markdown/strip-markdown.ts'
import { CodeBox } from '../ui/code-box.tsx'
import { escapeInvisible } from '../ui/escape-invisible.ts'
import { Aside } from './message-view.tsx'
import { getCallSubject, formatDuration, toMediaUrl } from './text-labels.ts'

type ToolPart = Extract<AnswerPart, { kind: 'tool' }>

interface ToolViewProps {
  readonly part: ToolPart
  readonly turn: TranscriptTurn
  /** Details of the turn's calls, if loaded. */
  readonly calls: readonly ToolCallSummary[]
}

/** A call in one line: tool, subject and progress, with input and result behind it. */
export function ToolView({ part, turn, calls }: ToolViewProps) {
  const { call, outcome } = part
  const details = calls.find(({ callId }) => callId === call.id)
  const progress = describeProgress(part, turn)
  const subject = getCallSubject(call)
  const label = TOOL_LABELS[call.name]
  const result = outcome && removeFence(outcome.text)
  const results =
    label !== undefined && outcome?.kind === 'ok' && result ? parseSearchResults(result) : undefined
  const inputAndResult = (
    <>
      <CodeBox label="Input">{JSON.stringify(call.input, undefined, 2)}</CodeBox>
      {outcome && <CodeBox label="Result">{result || '(nothing)'}</CodeBox>}
    </>
  )
  const isWaitingWithoutPreview = turn.waitsFor?.callId === call.id && !turn.waitsFor.preview
  return (
    <Aside
      open={isWaitingWithoutPreview}
      summary={
        <>
          {label === undefined ? (
            <>
              Tool <span className="font-mono">{escapeInvisible(call.name)}</span>
              {subject !== '' && <span className="font-mono"> {subject}</span>}
            </>
          ) : (
            <>
              {label}
              {subject !== '' && ` “${subject}”`}
            </>
          )}
          : <span className={FAILURES.has(progress) ? 'text-alarm' : undefined}>{progress}</span>
          {details && <CallTime call={details} />}
        </>
      }
    >
      {details?.by && <p>{describeDecision(details)}</p>}
      {results === undefined ? (
        inputAndResult
      ) : (
        <>
          <SearchResults results={results} />
          <details>
            <summary className="hover:text-ink w-fit py-1">Raw result</summary>
            <div className="flex flex-col gap-2 pt-1">{inputAndResult}</div>
          </details>
        </>
      )}
      {outcome?.whole && turn.question && (
        <a
          className="text-accent self-start underline"
          href={toMediaUrl(turn.question.sessionId, outcome.whole)}
          download
        >
          Full result
        </a>
      )}
    </Aside>
  )
}

const TOOL_LABELS: Readonly<Record<string, string>> = recordByAction(
  (action) => AGENT_ACTIONS[action].labels.call,
)

/** Tool calls in a voice call have no decision time. */
function CallTime({ call: { askedAt, decidedAt = askedAt, endedAt } }: { call: ToolCallSummary }) {
  if (endedAt === undefined) return null
  return (
    <span className="tabular-nums"> · {formatDuration(Date.parse(endedAt) - Date.parse(decidedAt))}</span>
  )
}

type Progress = 'done' | 'refused' | 'failed' | 'running…' | 'waiting for you' | 'no result'

const FAILURES: ReadonlySet<Progress> = new Set(['refused', 'failed'])

function describeProgress({ call, outcome }: ToolPart, { state, waitsFor }: TranscriptTurn): Progress {
  if (outcome?.kind === 'ok') return 'done'
  if (outcome) return outcome.code === 'tool_denied' ? 'refused' : 'failed'
  if (state === 'running') return 'running…'
  return waitsFor?.callId === call.id ? 'waiting for you' : 'no result'
}

function SearchResults({ results }: { results: readonly FoundPassage[] }) {
  if (results.length === 0) return <p>No results.</p>
  return (
    <ul aria-label="Search results" className="flex flex-col gap-2">
      {results.map(({ text, title }, index) => (
        <li key={index}>
          <p className="line-clamp-3 wrap-anywhere">“{escapeInvisible(stripMarkdown(text).trim())}”</p>
          {title !== '' && <p className="text-ink wrap-anywhere">{escapeInvisible(title)}</p>}
        </li>
      ))}
    </ul>
  )
}

type Decider = NonNullable<ToolCallSummary['by']>

const ALLOWED: Readonly<Record<Decider, string>> = {
  grant: 'Allowed: the agent has this tool.',
  schema: 'Allowed: the input is valid.',
  policy: 'Allowed automatically by this server’s rules.',
  session: 'Allowed earlier for the rest of the session.',
  person: 'Allowed by a person.',
  unattended: 'Allowed without asking: nobody was present.',
}

const REFUSED: Readonly<Record<Decider, string>> = {
  grant: 'Refused: the agent has no such tool.',
  schema: 'Refused: the input is invalid.',
  policy: 'Refused by this server’s rules.',
  session: 'Refused for the rest of the session.',
  person: 'Refused by a person.',
  unattended: 'Refused: nobody was present to approve it.',
}

export function describeDecision({ verdict, by, reason }: ToolCallSummary): string {
  if (by === undefined) return ''
  const text = (verdict === 'refused' ? REFUSED : ALLOWED)[by]
  return verdict === 'refused' && reason !== undefined ? `${text} ${reason}` : text
}

export interface FoundPassage {
  readonly text: string
  readonly title: string
}

/** The results in a search tool's output; undefined for other formats. */
export const parseSearchResults = (result: string): readonly FoundPassage[] | undefined =>
  parseEvidence(result)?.map(({ text, source }) => ({ text, title: parseTitle(source) }))

/** The evidence in a search tool's output, with its source as it was sent; undefined for other formats. */
export function parseEvidence(
  result: string,
): readonly { readonly text: string; readonly source: unknown }[] | undefined {
  const output = parseJson(result)
  if (!isRecord(output) || !Array.isArray(output['evidence'])) return undefined
  return output['evidence'].flatMap((item: unknown) =>
    isRecord(item) && typeof item['text'] === 'string'
      ? [{ text: item['text'], source: item['source'] }]
      : [],
  )
}

/** Models get the title as text, voice agents as a field of the source. */
const parseTitle = (source: unknown): string => {
  const title = isRecord(source) ? source['title'] : source
  return typeof title === 'string' ? title : ''
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
