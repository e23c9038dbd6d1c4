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

/** The presses of each key: Node's names, or the sequence of a key that Node has no name for. */
const KEYS = {
  enter: 'return',
  // `enter` is a line feed, which Ctrl-J sends; newer terminals send sequences for Shift-Enter.
  newline: 'enter alt-return alt-enter \x1b[13;2u \x1b[27;2;13~',
  'delete-back': 'backspace ctrl-h',
  'delete-word': 'alt-backspace ctrl-w',
  delete: 'delete',
  left: 'left ctrl-b',
  right: 'right ctrl-f',
  'word-left': 'ctrl-left alt-left alt-b',
  'word-right': 'ctrl-right alt-right alt-f',
  up: 'up ctrl-p',
  down: 'down ctrl-n',
  home: 'home ctrl-a',
  end: 'end ctrl-e',
  'cut-to-end': 'ctrl-k',
  'cut-to-start': 'ctrl-u',
  yank: 'ctrl-y',
  // Ctrl-_
  undo: '\x1f',
  search: 'ctrl-r',
  'open-editor': 'ctrl-g',
  complete: 'tab',
  'complete-back': 'shift-tab',
  escape: 'escape alt-escape',
  'clear-screen': 'ctrl-l',
  interrupt: 'ctrl-c',
  'end-of-input': 'ctrl-d',
  suspend: 'ctrl-z',
} as const

export type NamedKey = keyof typeof KEYS

export type Key = { readonly name: 'text' | 'paste'; readonly text: string } | { readonly name: NamedKey }

const KEY_BY_PRESS = new Map(
  Object.entries(KEYS).flatMap(([name, presses]) =>
    presses.split(' ').map((press) => [press, name as NamedKey] as const),
  ),
)

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
    const name = KEY_BY_PRESS.get(keypress.sequence ?? '') ?? KEY_BY_PRESS.get(formatChord(keypress))
    if (name) return { name }
    return character && !/^\p{Cc}/u.test(character) ? { name: 'text', text: character } : undefined
  }
}

const formatChord = ({ name, ctrl, meta, shift }: Keypress): string =>
  `${ctrl ? 'ctrl-' : ''}${meta ? 'alt-' : ''}${shift && name === 'tab' ? 'shift-' : ''}${name ?? ''}`
