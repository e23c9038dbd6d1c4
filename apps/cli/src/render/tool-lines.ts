import type { Json, SessionEvent, ToolOutcome } from '@parley/contracts'
import { inOneLine } from './neutralise.ts'
import type { Style } from './style.ts'
import { fitMiddle, fitText, textWidth } from './text-width.ts'

interface ToolLook {
  readonly style: Style
  /** Lines are cut at this width; absent, at one that any reader has. */
  readonly columns?: number | undefined
  /** Present on screens that show more than plain characters. */
  readonly markdown?: object | undefined
}

interface ToldCall {
  readonly tool: string
  /** What it reaches, where that was found out; else what it was given says it. */
  readonly target?: string | undefined
  readonly input?: Json | undefined
}

/** What an agent does, in one line. */
export function callLine({ tool, target, input }: ToldCall, look: ToolLook): string {
  const room = roomIn(look) - 2
  const name = fitText(inOneLine(tool), room)
  const left = room - textWidth(name) - 1
  const reached = inOneLine(target ?? inShort(input))
  const mark = look.markdown ? '⏺' : '*'
  return `${mark} ${look.style.bold(name)}${reached === '' || left < 5 ? '' : ` ${fitMiddle(reached, left)}`}`
}

/** How it went, in one line below that. */
export function outcomeLine(outcome: ToolOutcome, look: ToolLook): string {
  const lines = linesOf(outcome.text)
  const [first = ''] = lines.filter((line) => line.trim() !== '')
  if (outcome.kind === 'failed') return below(`failed: ${first || outcome.code}`, look, look.style.bad)
  const summary = lines.length > 1 ? `${lines.length} lines` : first || 'done'
  return below(outcome.whole ? `${summary} of a longer text` : summary, look, look.style.dim)
}

type Decided = Extract<SessionEvent, { type: 'agent:tool_decided' }>

/** Why it was not done; who refused it themselves knows that. */
export function refusalLine({ by, reason }: Pick<Decided, 'by' | 'reason'>, look: ToolLook): string {
  const [why = ''] = linesOf(reason ?? '')
  return below(by === 'person' || why === '' ? 'refused' : `refused: ${why}`, look, look.style.warn)
}

const below = (text: string, look: ToolLook, paint: (text: string) => string): string =>
  `  ${paint(fitText(inOneLine(text), roomIn(look) - 2))}`

/** The last column stays free: some terminals go on to the next line with it. */
const roomIn = ({ columns = 120 }: ToolLook): number => Math.max(20, columns - 1)

/** What a model is given of another's text stands in a fence, which is not the text's own. */
function linesOf(text: string): readonly string[] {
  const [, fenced] = /^\[data [0-9a-f]+ from [^\n]*\]\n([^]*)\n\[end of data [0-9a-f]+\]$/.exec(text) ?? []
  return (fenced ?? text).trimEnd().split('\n')
}

/** The one thing among what a tool was given that says most. */
function inShort(input: Json | undefined): string {
  if (input === undefined) return ''
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input)
  const telling = TELLING.map((name) => input[name]).find((value) => typeof value === 'string')
  if (telling !== undefined) return telling
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input)
}

const TELLING = ['command', 'url', 'query', 'pattern', 'path', 'message', 'server', 'show']
