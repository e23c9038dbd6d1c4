import type { Readable } from 'node:stream'
import type { PlatformError } from '@parley/contracts'
import { EXIT } from './exit-code.ts'

export interface Io {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly variables: Readonly<Record<string, string | undefined>>
}

/**
 * A closed pipe (`parley sessions | head -1`) or terminal is not a failure. Code that must clean up first
 * listens for SIGHUP; later output is dropped.
 */
export function exitWhenOutputCloses({ stdin, stdout, stderr }: Io): void {
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

/** Decodes UTF-8 without its byte order mark; `undefined` if invalid. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** All of standard input; undefined if it is not UTF-8 text. */
export async function readText(
  input: Readable,
  maxBytes: number,
  createSizeError: () => PlatformError,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk as Uint8Array | string)
    chunks.push(bytes)
    size += bytes.length
    if (size > maxBytes) throw createSizeError()
  }
  return decodeText(Buffer.concat(chunks))
}

/** Why a file cannot be read, as a sentence. */
export const describeReadFailure = (
  file: string,
  { code, message }: NodeJS.ErrnoException,
  kind = 'file',
): string =>
  code === 'ENOENT'
    ? `There is no ${kind} ${file}.`
    : `The ${kind} ${file} cannot be read (${code ?? message}).`
