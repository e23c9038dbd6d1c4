import { type Key as Keypress, emitKeypressEvents } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'

export interface Terminal {
  readonly input: ReadStream
  readonly output: WriteStream
}

interface TerminalWatcher {
  readonly onKey: (key: Key) => void
  readonly onResize: () => void
}

const PASTE_BRACKETS_ON = '\x1b[?2004h'
const PASTE_BRACKETS_OFF = '\x1b[?2004l'

/** Reads a terminal key by key, and restores it on every exit. */
export function holdTerminal({ input, output }: Terminal, { onKey, onResize }: TerminalWatcher) {
  const readKey = createKeyReader()

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
    if (key) onKey(key)
  }
  const onInterrupt = () => onKey({ name: 'interrupt' })
  const onEnd = () => onKey({ name: 'end-of-input' })

  emitKeypressEvents(input)
  input.on('keypress', onKeypress)
  input.on('end', onEnd)
  output.on('resize', onResize)
  process.on('SIGINT', onInterrupt)
  process.on('exit', release)
  hold()
  input.resume()

  return {
    /** Suspends the process group until the shell resumes it. */
    suspend(onReturn: () => void) {
      release()
      process.once('SIGCONT', () => {
        hold()
        onReturn()
      })
      process.kill(0, 'SIGTSTP')
    },
    /** Lends the terminal to another program. */
    async lend<T>(work: () => Promise<T>): Promise<T> {
      release()
      input.pause()
      process.off('SIGINT', onInterrupt)
      process.on('SIGINT', ignoreInterrupt)
      try {
        return await work()
      } finally {
        process.off('SIGINT', ignoreInterrupt)
        process.on('SIGINT', onInterrupt)
        input.resume()
        hold()
      }
    },
    close() {
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

/** Ctrl-C belongs to the other program. */
const ignoreInterrupt = () => undefined

export type Key =
  | { readonly name: 'text' | 'paste'; readonly text: string }
  | { readonly name: Exclude<KeyName, 'text' | 'paste'> }

export type KeyName =
  | 'clear-screen'
  | 'complete'
  | 'complete-back'
  | 'cut-to-end'
  | 'cut-to-start'
  | 'delete'
  | 'delete-back'
  | 'delete-word'
  | 'down'
  | 'end'
  | 'end-of-input'
  | 'enter'
  | 'escape'
  | 'home'
  | 'interrupt'
  | 'left'
  | 'newline'
  | 'open-editor'
  | 'paste'
  | 'right'
  | 'search'
  | 'suspend'
  | 'text'
  | 'undo'
  | 'up'
  | 'word-left'
  | 'word-right'
  | 'yank'

/** Turns Node's keypresses into keys; a paste is one key. */
export function createKeyReader(): (character: string | undefined, keypress: Keypress) => Key | undefined {
  let pasted: string[] | undefined
  return (character, keypress) => {
    if (keypress.name === 'paste-start') {
      pasted = []
      return undefined
    }
    if (keypress.name === 'paste-end') {
      const text = (pasted ?? []).join('').replace(/\r\n?/g, '\n')
      pasted = undefined
      return { name: 'paste', text }
    }
    if (pasted) {
      pasted.push(keypress.sequence ?? character ?? '')
      return undefined
    }
    const name = SEQUENCES[keypress.sequence ?? ''] ?? KEY_NAMES[formatChord(keypress)]
    if (name) return { name }
    return character && !/^\p{Cc}/u.test(character) ? { name: 'text', text: character } : undefined
  }
}

const formatChord = ({ name, ctrl, meta, shift }: Keypress): string =>
  `${ctrl ? 'ctrl-' : ''}${meta ? 'alt-' : ''}${shift && name === 'tab' ? 'shift-' : ''}${name ?? ''}`

/** Keys that Node has no name for: Ctrl-_, and Shift-Enter as newer terminals send it. */
const SEQUENCES: Readonly<Record<string, Exclude<KeyName, 'text' | 'paste'>>> = {
  '\x1f': 'undo',
  '\x1b[13;2u': 'newline',
  '\x1b[27;2;13~': 'newline',
}

const KEY_NAMES: Readonly<Record<string, Exclude<KeyName, 'text' | 'paste'>>> = {
  return: 'enter',
  // A line feed, which Ctrl-J sends.
  enter: 'newline',
  'alt-return': 'newline',
  'alt-enter': 'newline',
  backspace: 'delete-back',
  'ctrl-h': 'delete-back',
  'alt-backspace': 'delete-word',
  'ctrl-w': 'delete-word',
  delete: 'delete',
  left: 'left',
  'ctrl-b': 'left',
  right: 'right',
  'ctrl-f': 'right',
  'ctrl-left': 'word-left',
  'alt-left': 'word-left',
  'alt-b': 'word-left',
  'ctrl-right': 'word-right',
  'alt-right': 'word-right',
  'alt-f': 'word-right',
  up: 'up',
  'ctrl-p': 'up',
  down: 'down',
  'ctrl-n': 'down',
  home: 'home',
  'ctrl-a': 'home',
  end: 'end',
  'ctrl-e': 'end',
  'ctrl-k': 'cut-to-end',
  'ctrl-u': 'cut-to-start',
  'ctrl-y': 'yank',
  'ctrl-r': 'search',
  'ctrl-g': 'open-editor',
  tab: 'complete',
  'shift-tab': 'complete-back',
  escape: 'escape',
  'alt-escape': 'escape',
  'ctrl-l': 'clear-screen',
  'ctrl-c': 'interrupt',
  'ctrl-d': 'end-of-input',
  'ctrl-z': 'suspend',
}
