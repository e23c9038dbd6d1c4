import { emitKeypressEvents, type Key as Keypress } from 'node:readline'
import type { ReadStream, WriteStream } from 'node:tty'
import { createKeyReader, type Key } from './key.ts'

export interface Terminal {
  readonly input: ReadStream
  readonly output: WriteStream
}

interface Watcher {
  readonly onKey: (key: Key) => void
  readonly onResize: () => void
}

const PASTE_BRACKETS_ON = '\x1b[?2004h'
const PASTE_BRACKETS_OFF = '\x1b[?2004l'

/** Hands on every key of a terminal, which is given back on every way out. */
export function holdTerminal({ input, output }: Terminal, { onKey, onResize }: Watcher) {
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
    /** Stops this program, with those it was started by, until the shell goes on with it. */
    suspend(onReturn: () => void) {
      release()
      process.once('SIGCONT', () => {
        hold()
        onReturn()
      })
      process.kill(0, 'SIGTSTP')
    },
    /** Leaves the terminal to another program for a while. */
    async lend<T>(work: () => Promise<T>): Promise<T> {
      release()
      input.pause()
      process.off('SIGINT', onInterrupt)
      process.on('SIGINT', ignore)
      try {
        return await work()
      } finally {
        process.off('SIGINT', ignore)
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
const ignore = () => undefined
