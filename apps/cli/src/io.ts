import { EXIT } from './exit-code.ts'

/** What a command reads from and writes to. */
export interface Io {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly environment: Readonly<Record<string, string | undefined>>
}

/**
 * `parley sessions | head -1`, or a terminal that was closed, is no failure. Whoever has work to end first listens for
 * SIGHUP, and is told so once; what is written meanwhile goes nowhere.
 */
export function leaveWhenNobodyReads({ stdin, stdout, stderr }: Io): void {
  let isLeaving = false
  const leave = () => {
    if (isLeaving) return
    isLeaving = true
    if (process.listenerCount('SIGHUP') === 0) process.exit(EXIT.done)
    process.emit('SIGHUP', 'SIGHUP')
  }
  for (const stream of [stdout, stderr]) {
    stream.on('error', (failure: NodeJS.ErrnoException) => {
      stream.write = () => true
      if (isGone(failure)) leave()
      else process.exitCode = EXIT.failed
    })
  }
  if (stdin.isTTY) {
    stdin.on('error', (failure: NodeJS.ErrnoException) => {
      if (!isGone(failure)) throw failure
      leave()
    })
  }
}

const isGone = ({ code = '' }: NodeJS.ErrnoException): boolean => GONE.includes(code)

const GONE: readonly string[] = ['EBADF', 'EIO', 'ENOTCONN', 'ENXIO', 'EPIPE']

/** The text of UTF-8 bytes, a byte order mark aside; `undefined` where they are none. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
