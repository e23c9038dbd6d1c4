import type {
  CallId,
  DurableContentPart,
  OpenTurn,
  SessionMessage,
  SessionView,
  ToolOutcome,
} from '@parley/contracts'
import { reconstructSessionState } from '@parley/engine'
import { splitFiles } from '../chat/attachments.ts'
import { shortenId } from '../session/find-session.ts'
import { formatLocalTime } from './output.ts'
import type { Display, Style } from './display.ts'
import { formatCount, sanitise, wrapWords } from './text.ts'
import { renderCall, renderOutcome, renderFullResult } from './tool-lines.ts'

type Turn = ReturnType<typeof reconstructSessionState>[number]

interface TranscriptDisplay {
  readonly agent: string
  /** The author of the messages, if not the reader. */
  readonly user?: string | undefined
  /** The model of the agent; any other one is named. */
  readonly model?: string
  readonly style: Style
  /** Wraps at this width, if set. */
  readonly columns?: number | undefined
  /** How Markdown is rendered; absent, it is shown as written. */
  readonly markdown?: Display['markdown']
  /** Cuts longer messages, if set. */
  readonly maxLines?: number
  /** Tool output is shortened unless `whole`. */
  readonly results?: 'whole' | undefined
  readonly open?: OpenTurn['state'] | undefined
}

/** Renders turns; messages the model does not see, and interruptions, are marked. */
export const renderTurns = (turns: readonly Turn[], display: TranscriptDisplay): string =>
  turns
    .map((turn, index) =>
      renderTurn(turn, { ...display, open: index === turns.length - 1 ? display.open : undefined }),
    )
    .join('\n')

export function renderTurn({ messages, outcome }: Turn, display: TranscriptDisplay): string {
  const outcomes = collectOutcomes(messages)
  const said = messages
    .filter((message) => !isShownWithCall(message))
    .map((message) => renderMessage(message, { ...display, outcomes }))
  if (outcome === 'completed') return said.join('\n')
  const mark = display.open ? OPEN[display.open] : UNANSWERED
  return [...said, `${display.style.warn(mark)}\n`].join('\n')
}

interface MessageDisplay extends TranscriptDisplay {
  /** The results of the calls in a turn, shown at the call. */
  readonly outcomes: ReadonlyMap<CallId, ToolOutcome>
}

const collectOutcomes = (messages: Turn['messages']): ReadonlyMap<CallId, ToolOutcome> =>
  new Map(
    messages
      .flatMap(({ content }) => content)
      .flatMap((part) => (part.type === 'tool_result' ? [[part.callId, part.outcome] as const] : [])),
  )

const isShownWithCall = ({ role, content }: SessionMessage): boolean =>
  role === 'tool' && content.every(({ type }) => type === 'tool_result')

const UNANSWERED = '[no answer; not sent to the model]'

const OPEN: Record<OpenTurn['state'], string> = {
  running: '[answer running]',
  waiting: '[waiting for your approval]',
  interrupted: '[interrupted before an answer]',
}

const CUT_SHORT: Record<NonNullable<SessionMessage['cutShort']>, string> = {
  cancelled: '[stopped]',
  unfinished: '[stopped]',
  failed: '[cut off]',
}

const MARKERS: Record<NonNullable<SessionMessage['marker']>['kind'], string> = {
  compacted: '[from here the model reads a summary of earlier messages]',
  trimmed: '[from here earlier messages are not sent to the model]',
  rolled_back: '[an unanswered message was here; the model sees a note about it]',
}

function renderMessage(message: SessionMessage, display: MessageDisplay): string {
  const { role, content, timestamp, cutShort, marker } = message
  const { style, agent, user = 'You' } = display
  if (marker) return `${style.dim(MARKERS[marker.kind])}\n`
  const who = sanitise(
    role === 'user' ? user : (ROLE_NAMES[role] ?? `${agent}${describeFallback(message, display)}`),
  )
  const parts = content.flatMap((part) => renderPart(part, role, display))
  const ending = cutShort ? [style.warn(CUT_SHORT[cutShort])] : []
  return `${[`${style.bold(who)}  ${style.dim(formatLocalTime(timestamp))}`, ...parts, ...ending].join('\n')}\n`
}

const describeFallback = ({ modelId }: SessionMessage, { model }: TranscriptDisplay): string =>
  modelId === undefined || model === undefined || modelId === model ? '' : ` (${modelId})`

const ROLE_NAMES: Partial<Record<SessionMessage['role'], string>> = { tool: 'Tool', system: 'System' }

function renderPart(
  part: DurableContentPart,
  role: SessionMessage['role'],
  display: MessageDisplay,
): readonly string[] {
  const { style, maxLines } = display
  switch (part.type) {
    case 'text': {
      const { text, files } = role === 'user' ? splitFiles(part.text) : { text: part.text, files: [] }
      const named = files.map((file) =>
        style.dim(`[file ${sanitise(file.path)}, ${formatCount(file.text.split('\n').length, 'line')}]`),
      )
      return text === '' ? named : [shorten(layOutText(text, role, display), maxLines, style), ...named]
    }
    case 'reasoning':
      return []
    case 'tool_call': {
      const outcome = display.outcomes.get(part.call.id)
      const line = renderCall({ tool: part.call.name, input: part.call.input }, display)
      if (!outcome) return [line]
      return [
        line,
        ...(display.results === 'whole'
          ? renderFullResult(outcome, display)
          : renderOutcome(outcome, display)),
      ]
    }
    case 'tool_result':
      return []
    case 'media':
      return [style.dim(`[${sanitise(part.name ?? part.mediaType)}]`)]
    default:
      return part satisfies never
  }
}

function layOutText(
  text: string,
  role: SessionMessage['role'],
  { columns, markdown }: TranscriptDisplay,
): string {
  const safe = sanitise(text).trimEnd()
  if (markdown?.render && columns !== undefined && role === 'assistant') {
    return markdown.render(safe, { columns, ...markdown })
  }
  return columns === undefined ? safe : wrapWords(safe, columns)
}

function shorten(text: string, maxLines: number | undefined, style: Style): string {
  const lines = text.split('\n')
  if (maxLines === undefined || lines.length <= maxLines) return text
  const left = lines.length - maxLines + 1
  return [...lines.slice(0, maxLines - 1), style.dim(`[and ${formatCount(left, 'more line')}]`)].join('\n')
}

export interface ResumedSession {
  readonly session: Pick<SessionView, 'id' | 'messageCount' | 'ownerLabel'>
  readonly agent: { readonly name: string; readonly model: string }
  /** The last messages, more than shown. */
  readonly messages: readonly SessionMessage[]
  readonly open?: OpenTurn['state'] | undefined
  /** A note to read before the first message. */
  readonly note?: string | undefined
}

const TURNS_SHOWN = 3
const MAX_LINES = 20

/** The view of a resumed session. */
export function renderLastTurns(
  { session, agent, messages, open, note }: ResumedSession,
  display: Display,
): string {
  const { style, columns, isTerminal, markdown } = display
  const shown = addMarkers(messages).slice(-TURNS_SHOWN)
  const before = session.messageCount - shown.flatMap((turn) => turn.messages).length
  const turns = renderTurns(shown, {
    agent: agent.name,
    user: session.ownerLabel,
    model: agent.model,
    style,
    columns: isTerminal ? columns : undefined,
    markdown,
    maxLines: MAX_LINES,
    open,
  })
  const earlier = `[${formatCount(before, 'earlier message')}: parley sessions show ${shortenId(session.id)}]`
  return [
    ...(before > 0 ? [`${style.dim(earlier)}\n`] : []),
    ...(turns === '' ? [] : [turns]),
    ...(note === undefined ? [] : [`${style.warn(isTerminal ? wrapWords(note, columns) : note)}\n`]),
    '',
  ].join('\n')
}

/** The turns of a transcript with their markers. */
export function addMarkers(messages: readonly SessionMessage[]): readonly Turn[] {
  const turns = reconstructSessionState(messages)
  const markers = messages.filter(({ marker }) => marker !== undefined)
  if (markers.length === 0) return turns
  return turns.map((turn, index) => {
    const next = turns[index + 1]
    const own = markers.filter(
      ({ sequenceNumber }) =>
        sequenceNumber > readFirstSequence(turn) && (!next || sequenceNumber < readFirstSequence(next)),
    )
    if (own.length === 0) return turn
    const all = [...turn.messages, ...own].toSorted((a, b) => a.sequenceNumber - b.sequenceNumber)
    return { ...turn, messages: all }
  })
}

const readFirstSequence = ({ messages }: Turn): number => messages[0]?.sequenceNumber ?? 0
