import { type Json, type SessionEvent, type ToolOutcome, removeFence } from '@parley/contracts'
import type { Style } from './display.ts'
import { breakRows, formatCount, fitMiddle, fitText, toSingleLine, measureText } from './text.ts'

export interface ToolDisplay {
  readonly style: Style
  /** The width of the lines; absent, a safe default. */
  readonly columns?: number | undefined
  /** Present if the screen supports styles. */
  readonly markdown?: object | undefined
}

export function renderCall(call: DisplayedCall, display: ToolDisplay): string {
  const room = limitWidth(display) - 2
  const name = fitText(toSingleLine(call.tool), room)
  const left = room - measureText(name) - 1
  const summary = toSingleLine(summarizeCall(call))
  const mark = display.markdown ? '⏺' : '*'
  return `${mark} ${display.style.bold(name)}${summary === '' || left < 5 ? '' : ` ${fitMiddle(summary, left)}`}`
}

/** The same while it runs. */
export function renderRunningCall(call: DisplayedCall, seconds: number, display: ToolDisplay): string {
  const time = ` … ${seconds} s`
  const suffix =
    [`${time}  Ctrl-C stops it`, time].find((text) => limitWidth(display) - measureText(text) >= 20) ?? ''
  return (
    renderCall(call, { ...display, columns: limitWidth(display) + 1 - measureText(suffix) }) +
    display.style.dim(suffix)
  )
}

/** The result, indented below its call: one line on success, else with the reason. */
export function renderOutcome(outcome: ToolOutcome, display: ToolDisplay): readonly string[] {
  const lines = splitLines(outcome.text)
  const [first = '', ...rest] = lines.filter((line) => line.trim() !== '')
  const { style } = display
  if (outcome.kind === 'failed') {
    if (isRefusal(outcome)) return indentBelow(`refused: ${outcome.text}`, display, style.warn)
    const shown = rest.slice(-MAX_LINES)
    const left = rest.length - shown.length
    return [
      ...indentBelow(`failed: ${first || outcome.code}`, display, style.bad),
      ...(left > 0 ? indentBelow(`[${formatCount(left, 'line')} omitted]`, display, style.dim) : []),
      ...shown.flatMap((line) => indentBelow(line, display, style.bad, MAX_ROWS)),
    ]
  }
  const summary = lines.length > 1 ? `${lines.length} lines` : first || 'done'
  const text = outcome.whole ? `${summary} of a longer text` : summary
  return [`  ${style.dim(fitText(toSingleLine(text), limitWidth(display) - 2))}`]
}

export function renderFullResult(outcome: ToolOutcome, display: ToolDisplay): readonly string[] {
  const lines = splitLines(outcome.text)
  if (outcome.kind === 'ok') return lines.flatMap((line) => indentBelow(line, display, display.style.dim))
  const word = isRefusal(outcome) ? 'refused:' : `failed (${outcome.code}):`
  return [word, ...lines].flatMap((line) => indentBelow(line, display, display.style.bad))
}

/** Why it was not run; not shown to the user who refused it. */
export function renderRefusal(
  { by, reason = '' }: Pick<Extract<SessionEvent, { type: 'agent:tool_decided' }>, 'by' | 'reason'>,
  display: ToolDisplay,
) {
  return indentBelow(
    by === 'person' || reason === '' ? 'refused' : `refused: ${reason}`,
    display,
    display.style.warn,
  )
}

const MAX_LINES = 6
/** The limit of one output line. */
const MAX_ROWS = 3

const isRefusal = (outcome: ToolOutcome): boolean =>
  outcome.kind === 'failed' && outcome.code === 'tool_denied'

/** Wraps the text and indents it below the call. */
function indentBelow(
  text: string,
  display: ToolDisplay,
  paint: (text: string) => string,
  most = Infinity,
): readonly string[] {
  const room = limitWidth(display) - 2
  return text
    .trimEnd()
    .split('\n')
    .map((line) => toSingleLine(line.replaceAll('\t', '    ')))
    .map((line) => (most === Infinity ? line : fitMiddle(line, room * most)))
    .flatMap((line) => breakRows(line, room))
    .map((row) => `  ${paint(row.trimEnd())}`)
}

/** The last column stays free: some terminals wrap after it. */
const limitWidth = ({ columns = 120 }: ToolDisplay): number => Math.max(20, columns - 1)

const splitLines = (text: string): readonly string[] => removeFence(text).trimEnd().split('\n')

export interface DisplayedCall {
  readonly tool: string
  /** The resolved target, else the main input. */
  readonly target?: string | undefined
  readonly input?: Json | undefined
}

/** The best summary of a call: its target or its input. */
export const summarizeCall = ({ tool, target, input }: DisplayedCall): string =>
  SUMMARIES.get(tool)?.(readTextInputs(input)) ?? target ?? summarizeInput(input)

type Texts = Readonly<Record<string, string | undefined>>

const SUMMARIES: ReadonlyMap<string, (given: Texts) => string | undefined> = new Map([
  ['search_files', ({ pattern }: Texts) => pattern],
  ['web_search', ({ query }: Texts) => query],
  ['http_request', ({ method = 'GET', url }: Texts) => url && `${method} ${url}`],
  ['mcp_call', ({ server, tool }: Texts) => server && [server, tool].filter(Boolean).join('/')],
  ['git_status', ({ show = '' }: Texts) => show],
  ['git_commit', ({ message }: Texts) => message?.split('\n')[0]],
])

function readTextInputs(input: Json | undefined): Texts {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return {}
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/** The main input of a tool. */
function summarizeInput(input: Json | undefined): string {
  if (input === undefined) return ''
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input)
  const given = readTextInputs(input)
  const summary = MAIN_INPUTS.map((name) => given[name]).find((value) => value !== undefined)
  if (summary !== undefined) return summary
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input)
}

const MAIN_INPUTS = ['command', 'url', 'query', 'pattern', 'path', 'message', 'server', 'show']
