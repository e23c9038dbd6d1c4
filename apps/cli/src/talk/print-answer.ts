import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { ApprovalDecision, SessionEvent } from '@parley/contracts'
import { createLiveRows } from '../render/live-rows.ts'
import type { Highlight } from '../render/markdown/highlight.ts'
import { createMarkdown } from '../render/markdown/markdown.ts'
import { type ScreenLook, loadHighlight, mayHoldCode } from '../render/screen-look.ts'
import { createNeutraliser, createWrapper, neutralise } from '../render/text.ts'
import type { ApprovalRequest, Move, TurnStop } from './conversation.ts'
import type { ToolNews, ToolScreen } from './tool-screen.ts'

type Output = Writable & { readonly columns?: number; readonly rows?: number }

interface AnswerPrinter {
  readonly onEvent: (event: SessionEvent) => Promise<void> | undefined
  /** Ends the answer's last line. */
  end(): Promise<void>
}

/** What is told between the lines of an answer, and how. */
interface Notes {
  readonly noteOn: (event: SessionEvent) => string | undefined
  readonly tell: (note: string) => void
  readonly tools?: ToolScreen | undefined
}

/** Prints an answer as it comes, made safe for a terminal: as the screen can show it best. */
export function createAnswerPrinter(output: Output, look: ScreenLook, notes?: Notes): AnswerPrinter {
  const follow = createTextFollower()
  const neutraliser = createNeutraliser()
  const newPaper = () => (look.markdown ? richPaper(output, look, look.markdown) : plainPaper(output, look))
  let paper = newPaper()
  /** What was printed last: an empty line stands between words and what tools do. */
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
      // What is said after a call is a step of its own.
      return event.type === 'agent:tool_call' ? turnOver() : add(event)
    },
    end,
  }
}

/** Waits where the reader is slower than we are; one that is gone is waited for no longer. */
export function writeTo(output: Writable, text: string): Promise<void> | undefined {
  return output.write(text) ? undefined : once(output, 'drain').then(ignore, ignore)
}

const ignore = () => undefined

interface Paper {
  add(text: string): Promise<void> | undefined
  end(): Promise<void>
}

/** As the model said it; between words where a person looks at it. */
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
  /** The last characters before a piece: a fence may come in two. */
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
      if (highlight || !mayHoldCode(seen)) return add(text)
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

/** Gives what each event adds to the answer: a reader that fell behind is told a run of text again from its start. */
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
  /** What is said to a call that waits; `leave` leaves it waiting, `unattended` is no. */
  readonly decide: (request: ApprovalRequest) => Promise<ApprovalDecision | 'leave' | 'unattended'>
}

/** A turn to its end, with a decision wherever a call waits. Ends with the call that is left undecided. */
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
