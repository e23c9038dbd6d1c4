import { type Interface, createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type Confirmation, type Offer, type Prompt, formatQuestion, readYesOrNo } from './prompt.ts'

/** A prompt for a terminal without cursor movement: whole lines, edited by the terminal itself. */
export function openPlainPrompt({ input, output }: { input: Readable; output: Writable }): Prompt {
  const reader = createInterface({ input, terminal: false })
  const prompt: PlainPrompt = { output, state: { kind: 'idle' }, lines: [], unfinished: [], ended: false }
  const onInterrupt = () => interruptPrompt(prompt)
  followInput(prompt, reader)
  process.on('SIGINT', onInterrupt)

  return {
    ask: () =>
      new Promise((answer) => {
        if (prompt.state.kind === 'closed') {
          answer(undefined)
          return
        }
        prompt.state = { kind: 'asking', answer, leaving: false }
        output.write('> ')
        readLines(prompt)
      }),
    confirm: (question, offers = []) =>
      new Promise((answer) => {
        if (prompt.state.kind === 'closed' || prompt.ended) {
          answer('leave')
          return
        }
        const text = formatQuestion(question, offers)
        prompt.state = { kind: 'confirming', answer, offers, question: text }
        output.write(text)
      }),
    async during(work, interrupt) {
      const working: PromptState = { kind: 'working', interrupt }
      prompt.state = working
      try {
        return await work
      } finally {
        if (prompt.state === working) prompt.state = { kind: 'idle' }
      }
    },
    close() {
      const { state } = prompt
      if (state.kind === 'closed') return
      if (state.kind === 'asking') state.answer(undefined)
      if (state.kind === 'confirming') state.answer('leave')
      prompt.state = { kind: 'closed' }
      process.off('SIGINT', onInterrupt)
      reader.close()
    },
  }
}

interface PlainPrompt {
  readonly output: Writable
  state: PromptState
  /** Lines that were typed but not read yet. */
  readonly lines: string[]
  /** The lines so far of a message whose last line ended with a backslash. */
  unfinished: readonly string[]
  /** Whether the input has ended. */
  ended: boolean
}

type PromptState = { readonly kind: 'idle' | 'closed' } | Asking | Confirming | Working

interface Asking {
  readonly kind: 'asking'
  readonly answer: (text: string | undefined) => void
  /** Whether Ctrl-C was pressed once. */
  leaving: boolean
}

interface Confirming {
  readonly kind: 'confirming'
  readonly answer: (choice: Confirmation) => void
  readonly offers: readonly Offer[]
  readonly question: string
}

interface Working {
  readonly kind: 'working'
  readonly interrupt: () => void
}

function followInput(prompt: PlainPrompt, reader: Interface): void {
  reader.on('line', (line) => {
    const { state } = prompt
    if (state.kind === 'confirming') answerQuestion(prompt, state, readYesOrNo(line, state.offers))
    else {
      prompt.lines.push(line)
      readLines(prompt)
    }
  })
  reader.on('close', () => {
    const { state } = prompt
    prompt.ended = true
    if (state.kind === 'confirming') answerQuestion(prompt, state, 'leave')
    else readLines(prompt)
  })
}

function readLines(prompt: PlainPrompt): void {
  const { lines, output } = prompt
  while (prompt.state.kind === 'asking' && lines.length > 0) {
    const line = lines.shift() ?? ''
    prompt.state.leaving = false
    if (line.endsWith('\\')) {
      prompt.unfinished = [...prompt.unfinished, line.slice(0, -1)]
      output.write('  ')
      continue
    }
    const text = [...prompt.unfinished, line].join('\n')
    prompt.unfinished = []
    if (text.trim() === '') output.write('> ')
    else answerPrompt(prompt, prompt.state, text)
  }
  if (prompt.state.kind === 'asking' && prompt.ended) {
    output.write('\n')
    answerPrompt(prompt, prompt.state, undefined)
  }
}

function answerPrompt(prompt: PlainPrompt, { answer }: Asking, text: string | undefined): void {
  prompt.state = { kind: 'idle' }
  answer(text)
}

/** An unclear answer repeats the question. */
function answerQuestion(
  prompt: PlainPrompt,
  { answer, question }: Confirming,
  choice: Confirmation | undefined,
): void {
  if (choice === undefined) {
    prompt.output.write(question)
    return
  }
  prompt.state = { kind: 'idle' }
  answer(choice)
}

function interruptPrompt(prompt: PlainPrompt): void {
  const { output, state } = prompt
  if (state.kind === 'working') state.interrupt()
  else if (state.kind === 'confirming') {
    output.write('\n')
    answerQuestion(prompt, state, 'leave')
  } else if (state.kind === 'asking') {
    prompt.unfinished = []
    output.write('\n')
    if (state.leaving) answerPrompt(prompt, state, undefined)
    else {
      state.leaving = true
      output.write('Press Ctrl-C again to quit.\n> ')
    }
  }
}
