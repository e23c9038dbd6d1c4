import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { ApprovalDecision, SessionEvent } from '@parley/contracts'
import { createLiveRows } from '../render/live-rows.ts'
import type { Highlight } from '../render/markdown/highlight.ts'
import { createMarkdown } from '../render/markdown/markdown.ts'
import { type ScreenLook, loadHighlight, mayContainCode } from '../render/screen-look.ts'
import { createNeutraliser, createWrapper, neutralise } from '../render/text.ts'
import type { ApprovalRequest, Move, TurnStop } from './conversation.ts'
import type { ToolNews, ToolScreen } from './tool-screen.ts'

type Output = Writable & { readonly columns?: number; readonly rows?: number }

interface AnswerPrinter {
  readonly onEvent: (event: SessionEvent) => Promise<void> | undefined
  /** Ends the answer's last line. */
  end(): Promise<void>
}

/** Notes between the lines of an answer. */
interface Notes {
  readonly noteOn: (event: SessionEvent) => string | undefined
  readonly tell: (note: string) => void
  readonly tools?: ToolScreen | undefined
}

/** Prints a streaming answer, made safe for the terminal. */
export function createAnswerPrinter(output: Output, look: ScreenLook, notes?: Notes): AnswerPrinter {
  const follow = createTextFollower()
  const neutraliser = createNeutraliser()
  const newPaper = () => (look.markdown ? richPaper(output, look, look.markdown) : plainPaper(output, look))
  let paper = newPaper()
  /** The last kind of output: an empty line separates text and tool calls. */
  let above: 'nothing' | 'words' | 'tools' = 'nothing'

  const add = (event: SessionEvent) => {
    const text = neutraliser.write(follow(event))
    if (text === '') return undefined
    if (above === 'tools') notes?.tools?.space()
    above = 'words'
    return paper.add(text)
  }
  const end = async () => {
    notes?.tools?.settle()
    const text = neutraliser.flush()
    if (text !== '') await paper.add(text)
    await paper.end()
  }
  const turnOver = async () => {
    await end()
    paper = newPaper()
  }
  const interject = async (note: string) => {
    await turnOver()
    notes?.tell(neutralise(note))
  }
  const tellTools = async (tools: ToolScreen, news: ToolNews) => {
    await turnOver()
    if (above === 'words') tools.space()
    tools.show(news)
    above = 'tools'
  }
  return {
    onEvent(event) {
      const note = notes?.noteOn(event)
      if (note !== undefined) return interject(note).then(() => add(event))
      const news = notes?.tools?.newsOn(event)
      if (notes?.tools && news) return tellTools(notes.tools, news)
      // Text after a call is a new step.
      return event.type === 'agent:tool_call' ? turnOver() : add(event)
    },
    end,
  }
}

/** Waits for a slow reader, but not for one that is gone. */
export function writeTo(output: Writable, text: string): Promise<void> | undefined {
  return output.write(text) ? undefined : once(output, 'drain').then(ignore, ignore)
}

const ignore = () => undefined

interface Paper {
  add(text: string): Promise<void> | undefined
  end(): Promise<void>
}

/** Unchanged text; wrapped on a terminal. */
function plainPaper(output: Output, { isTerminal, columns }: ScreenLook): Paper {
  const wrapper = isTerminal ? createWrapper(output.columns || columns) : undefined
  let last = ''
  const print = (text: string) => {
    if (text === '') return undefined
    last = text
    return writeTo(output, text)
  }
  return {
    add: (text) => print(wrapper ? wrapper.write(text) : text),
    async end() {
      await print(wrapper?.flush() ?? '')
      if (last !== '' && !last.endsWith('\n')) await print('\n')
    },
  }
}

function richPaper(output: Output, look: ScreenLook, { links }: { links: boolean }): Paper {
  let highlight: Highlight | undefined
  const markdown = createMarkdown({
    columns: output.columns || look.columns,
    links,
    highlight: (code, language) => highlight?.(code, language),
  })
  const live = createLiveRows(output)
  const onResize = () => markdown.resize(output.columns || look.columns)
  output.on('resize', onResize)
  const onReturn = () => live.forget()
  process.on('SIGCONT', onReturn)
  /** The last characters before a piece: a fence may be split. */
  let tail = ''

  const print = (rows: readonly string[], rest: readonly string[]) => {
    const text = live.update(rows, rest)
    return text === '' ? undefined : writeTo(output, text)
  }
  const add = (text: string) => print(markdown.write(text), markdown.rest())

  return {
    add(text) {
      const seen = tail + text
      tail = seen.slice(-2)
      if (highlight || !mayContainCode(seen)) return add(text)
      return loadHighlight().then((loaded) => {
        highlight = loaded
        return add(text)
      })
    },
    async end() {
      output.off('resize', onResize)
      process.off('SIGCONT', onReturn)
      await print(markdown.end(), [])
    },
  }
}

/** Returns the new text of each event: after a gap, a run of text is sent again from its start. */
export function createTextFollower(): (event: SessionEvent) => string {
  let run: Run | undefined
  return (event) => {
    if (event.type === 'agent:reasoning') run = undefined
    if (event.type !== 'agent:token') return ''
    const { stepId, token } = event
    const known = run?.stepId === stepId ? run : undefined
    if (event.fromSequence === undefined) {
      run = known
        ? { ...known, length: known.length + token.length }
        : { stepId, start: event.sequenceNumber, length: token.length }
      return token
    }
    const seen = known?.start === event.fromSequence ? known.length : 0
    run = { stepId, start: event.fromSequence, length: token.length }
    return token.slice(seen)
  }
}

interface Run {
  readonly stepId: string
  /** The number of its first event. */
  readonly start: number
  readonly length: number
}

interface Following {
  readonly make: (move: Move) => Promise<TurnStop>
  /** The decision on a waiting call; `leave` leaves it waiting, `unattended` means no. */
  readonly decide: (request: ApprovalRequest) => Promise<ApprovalDecision | 'leave' | 'unattended'>
}

/** Follows a turn to its end and asks for each waiting call. Ends at an undecided call. */
export async function followTurn(
  from: Move | ApprovalRequest,
  { make, decide }: Following,
): Promise<TurnStop> {
  let stop = 'kind' in from ? await make(from) : from
  while (stop.type === 'agent:approval_requested') {
    const { callId, inputHash } = stop
    const decision = await decide(stop)
    if (decision === 'leave') break
    stop = await make(
      decision === 'unattended'
        ? { kind: 'decide', callId, decision: 'refuse', inputHash, unattended: true }
        : { kind: 'decide', callId, decision, inputHash },
    )
  }
  return stop
}
