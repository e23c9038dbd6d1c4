import { emitKeypressEvents, type Key as Keypress } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import type { Style } from '../render/style.ts'
import { editLine, emptyLine, type LineState } from './edit-line.ts'
import { createKeyReader, type Key } from './key.ts'
import type { Prompt } from './prompt.ts'
import { createScreen } from './screen.ts'
import { type Confirmation, createYesOrNo } from './yes-or-no.ts'

const PASTE_BRACKETS_ON = '\x1b[?2004h'
const PASTE_BRACKETS_OFF = '\x1b[?2004l'

/** A prompt on a terminal, key by key: history, pastes of several lines, Ctrl-C that never just kills. */
export function openRawPrompt(
  { input, output }: { input: ReadStream; output: WriteStream },
  { history, style }: { history: readonly string[]; style: Style },
): Prompt {
  const screen = createScreen(output, style)
  const readKey = createKeyReader()
  let line: LineState = emptyLine(history)
  let waiting: Key[] = []
  let state: PromptState = { kind: 'idle' }
  let drawn = true
  /** Ctrl-C came after a message was sent and before the work on it began. */
  let interrupted = false

  const press = (key: Key) => {
    if (state.kind === 'asking') edit(key, state)
    else if (state.kind === 'confirming') choose(key, state)
    else if (key.name !== 'interrupt') waiting.push(key)
    else {
      waiting = []
      if (state.kind === 'working') state.interrupt()
      else interrupted = true
    }
  }

  const edit = (key: Key, { answer }: Extract<PromptState, { kind: 'asking' }>) => {
    const { line: next, effect } = editLine(line, key)
    line = next
    switch (effect.kind) {
      case 'none':
        drawSoon()
        break
      case 'clear-screen':
        screen.clear()
        drawSoon()
        break
      case 'suspend':
        suspend()
        break
      case 'send':
      case 'leave': {
        const text = effect.kind === 'send' ? effect.text : undefined
        screen.finish(text ?? '')
        drawn = true
        state = { kind: 'idle' }
        answer(text)
        break
      }
      default:
        effect satisfies never
    }
  }

  const choose = (key: Key, { read, answer }: Extract<PromptState, { kind: 'confirming' }>) => {
    const choice = read(key)
    if (choice === undefined) return
    state = { kind: 'idle' }
    answer(choice)
  }

  /** A paste or a held key brings many keys at once; they are drawn once. */
  const drawSoon = () => {
    if (!drawn) return
    drawn = false
    queueMicrotask(() => {
      if (!drawn && state.kind === 'asking') screen.draw(line)
      drawn = true
    })
  }

  const suspend = () => {
    release()
    process.once('SIGCONT', () => {
      hold()
      screen.forget()
      drawSoon()
    })
    process.kill(process.pid, 'SIGTSTP')
  }

  const hold = () => {
    input.setRawMode(true)
    output.write(PASTE_BRACKETS_ON)
  }
  const release = () => {
    output.write(PASTE_BRACKETS_OFF)
    input.setRawMode(false)
  }

  const onKeypress = (character: string | undefined, keypress: Keypress) => {
    const key = readKey(character, keypress)
    if (key) press(key)
  }
  const onResize = () => {
    if (state.kind === 'asking') screen.draw(line)
  }
  const onInterrupt = () => press({ name: 'interrupt' })
  const onEnd = () => press({ name: 'end-of-input' })

  emitKeypressEvents(input)
  input.on('keypress', onKeypress)
  input.on('end', onEnd)
  output.on('resize', onResize)
  process.on('SIGINT', onInterrupt)
  process.on('exit', release)
  hold()
  input.resume()

  return {
    ask: () =>
      new Promise((answer) => {
        if (state.kind === 'closed') {
          answer(undefined)
          return
        }
        state = { kind: 'asking', answer }
        interrupted = false
        screen.draw(line)
        const typed = waiting
        waiting = []
        for (const key of typed) press(key)
      }),
    confirm: (question) =>
      new Promise((answer) => {
        if (state.kind === 'closed') {
          answer('leave')
          return
        }
        interrupted = false
        state = { kind: 'confirming', answer, read: createYesOrNo(question, output) }
      }),
    async during(work, interrupt) {
      const working: PromptState = { kind: 'working', interrupt }
      state = working
      if (interrupted) interrupt()
      try {
        return await work
      } finally {
        if (state === working) state = { kind: 'idle' }
      }
    },
    close() {
      if (state.kind === 'closed') return
      if (state.kind === 'asking') {
        screen.finish(line.text)
        state.answer(undefined)
      }
      if (state.kind === 'confirming') choose({ name: 'end-of-input' }, state)
      state = { kind: 'closed' }
      input.off('keypress', onKeypress)
      input.off('end', onEnd)
      output.off('resize', onResize)
      process.off('SIGINT', onInterrupt)
      process.off('exit', release)
      release()
      input.pause()
    },
  }
}

type PromptState =
  | { readonly kind: 'idle' | 'closed' }
  | { readonly kind: 'asking'; readonly answer: (text: string | undefined) => void }
  | {
      readonly kind: 'confirming'
      readonly answer: (choice: Confirmation) => void
      readonly read: (key: Key) => Confirmation | undefined
    }
  | { readonly kind: 'working'; readonly interrupt: () => void }
