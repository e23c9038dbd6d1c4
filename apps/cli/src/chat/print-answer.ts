import type { Writable } from 'node:stream'
import type { SessionEvent } from '@parley/contracts'
import { createLiveRows } from '../render/live-rows.ts'
import type { Highlight } from '../render/markdown/highlight.ts'
import type { Markdown } from '../render/markdown/markdown.ts'
import { type Display, loadHighlight, mayContainCode } from '../render/display.ts'
import { writeTo } from '../render/output.ts'
import { createSanitiser, createWrapper, sanitise } from '../render/text.ts'
import type { ToolPrinter, ToolUpdate } from './tool-printer.ts'

type Output = Writable & { readonly columns?: number; readonly rows?: number }

interface AnswerNotes {
  readonly findNote: (event: SessionEvent) => string | undefined
  readonly print: (note: string) => void
  readonly tools?: ToolPrinter | undefined
}

/** Prints a streaming answer, made safe for the terminal. */
export function createAnswerPrinter(output: Output, display: Display, notes?: AnswerNotes) {
  const follow = createTextFollower()
  const sanitiser = createSanitiser()
  const createWriter = () =>
    display.markdown
      ? createMarkdownWriter(output, display, display.markdown)
      : createPlainWriter(output, display)
  let writer = createWriter()
  /** An empty line separates text and tool calls. */
  let lastOutput: 'nothing' | 'text' | 'tools' = 'nothing'

  const add = (event: SessionEvent) => {
    const text = sanitiser.write(follow(event))
    if (text === '') return undefined
    if (lastOutput === 'tools') notes?.tools?.space()
    lastOutput = 'text'
    return writer.add(text)
  }
  /** Ends the answer's last line. */
  const end = async () => {
    notes?.tools?.settle()
    const text = sanitiser.flush()
    if (text !== '') await writer.add(text)
    await writer.end()
  }
  const startWriter = async () => {
    await end()
    writer = createWriter()
  }
  const printNote = async (note: string) => {
    await startWriter()
    notes?.print(sanitise(note))
  }
  const printTools = async (tools: ToolPrinter, update: ToolUpdate) => {
    await startWriter()
    if (lastOutput === 'text') tools.space()
    tools.show(update)
    lastOutput = 'tools'
  }
  return {
    onEvent: (event: SessionEvent) => {
      const note = notes?.findNote(event)
      if (note !== undefined) return printNote(note).then(() => add(event))
      const update = notes?.tools?.toUpdate(event)
      if (notes?.tools && update) return printTools(notes.tools, update)
      // Text after a call is a new step.
      return event.type === 'agent:tool_call' ? startWriter() : add(event)
    },
    end,
  }
}

interface AnswerWriter {
  add(text: string): Promise<void> | undefined
  end(): Promise<void>
}

/** Unchanged text; wrapped on a terminal. */
function createPlainWriter(output: Output, { isTerminal, columns }: Display): AnswerWriter {
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

/** Renders Markdown; the renderer and the colours are loaded with the first text that needs them. */
function createMarkdownWriter(output: Output, display: Display, { links }: { links: boolean }): AnswerWriter {
  let markdown: Markdown | undefined
  let highlight: Highlight | undefined
  const live = createLiveRows(output)
  const columns = () => output.columns || display.columns
  const onResize = () => markdown?.resize(columns())
  output.on('resize', onResize)
  const onReturn = () => live.forget()
  process.on('SIGCONT', onReturn)
  /** The last characters before a piece: a fence may be split. */
  let tail = ''

  const highlightCode: Highlight = (code, language) => highlight?.(code, language)
  const load = async () => {
    const { createMarkdown } = await import('../render/markdown/markdown.ts')
    return createMarkdown({ columns: columns(), links, highlight: highlightCode })
  }
  const print = async (rows: readonly string[], rest: readonly string[]) => {
    const text = live.update(rows, rest)
    if (text !== '') await writeTo(output, text)
  }

  return {
    async add(text) {
      const seen = tail + text
      tail = seen.slice(-2)
      markdown ??= await load()
      if (!highlight && mayContainCode(seen)) highlight = await loadHighlight()
      await print(markdown.write(text), markdown.rest())
    },
    async end() {
      output.off('resize', onResize)
      process.off('SIGCONT', onReturn)
      if (markdown) await print(markdown.end(), [])
    },
  }
}

/** Returns the new text of each event: after a gap, a run of text is sent again from its start. */
export function createTextFollower(): (event: SessionEvent) => string {
  let run: TextRun | undefined
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

interface TextRun {
  readonly stepId: string
  readonly start: number
  readonly length: number
}
