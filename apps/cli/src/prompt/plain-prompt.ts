import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type Confirmation, type Offer, type Prompt, formatQuestion, readYesOrNo } from './prompt.ts'

/** A prompt for a terminal without cursor movement: whole lines, edited by the terminal itself. */
export function openPlainPrompt({ input, output }: { input: Readable; output: Writable }): Prompt {
  const reader = createInterface({ input, terminal: false })
  const lines: string[] = []
  let state: PromptState = { kind: 'idle' }
  let ended = false
  let unfinished: string[] = []

  const readLines = () => {
    while (state.kind === 'asking' && lines.length > 0) {
      const line = lines.shift() ?? ''
      state.leaving = false
      if (line.endsWith('\\')) {
        unfinished.push(line.slice(0, -1))
        output.write('  ')
        continue
      }
      const text = [...unfinished, line].join('\n')
      unfinished = []
      if (text.trim() === '') output.write('> ')
      else settle(state, text)
    }
    if (state.kind === 'asking' && ended) {
      output.write('\n')
      settle(state, undefined)
    }
  }

  const answerQuestion = (confirming: Confirming, choice: Confirmation | undefined) => {
    if (choice === undefined) {
      output.write(confirming.question)
      return
    }
    state = { kind: 'idle' }
    confirming.answer(choice)
  }

  const settle = ({ answer }: Asking, text: string | undefined) => {
    state = { kind: 'idle' }
    answer(text)
  }

  const onInterrupt = () => {
    if (state.kind === 'working') state.interrupt()
    else if (state.kind === 'confirming') {
      output.write('\n')
      answerQuestion(state, 'leave')
    } else if (state.kind === 'asking') {
      unfinished = []
      output.write('\n')
      if (state.leaving) settle(state, undefined)
      else {
        state.leaving = true
        output.write('Press Ctrl-C again to quit.\n> ')
      }
    }
  }

  reader.on('line', (line) => {
    if (state.kind === 'confirming') answerQuestion(state, readYesOrNo(line, state.offers))
    else {
      lines.push(line)
      readLines()
    }
  })
  reader.on('close', () => {
    ended = true
    if (state.kind === 'confirming') answerQuestion(state, 'leave')
    else readLines()
  })
  process.on('SIGINT', onInterrupt)

  return {
    ask: () =>
      new Promise((answer) => {
        if (state.kind === 'closed') {
          answer(undefined)
          return
        }
        state = { kind: 'asking', answer, leaving: false }
        output.write('> ')
        readLines()
      }),
    confirm: (question, offers = []) =>
      new Promise((answer) => {
        if (state.kind === 'closed' || ended) {
          answer('leave')
          return
        }
        state = { kind: 'confirming', answer, offers, question: formatQuestion(question, offers) }
        output.write(state.question)
      }),
    async during(work, interrupt) {
      const working: PromptState = { kind: 'working', interrupt }
      state = working
      try {
        return await work
      } finally {
        if (state === working) state = { kind: 'idle' }
      }
    },
    close() {
      if (state.kind === 'closed') return
      if (state.kind === 'asking') state.answer(undefined)
      if (state.kind === 'confirming') state.answer('leave')
      state = { kind: 'closed' }
      process.off('SIGINT', onInterrupt)
      reader.close()
    },
  }
}

interface Asking {
  readonly kind: 'asking'
  readonly answer: (text: string | undefined) => void
  leaving: boolean
}
interface Confirming {
  readonly kind: 'confirming'
  readonly answer: (choice: Confirmation) => void
  readonly offers: readonly Offer[]
  readonly question: string
}
type PromptState =
  | { readonly kind: 'idle' | 'closed' }
  | Asking
  | Confirming
  | { readonly kind: 'working'; readonly interrupt: () => void }
