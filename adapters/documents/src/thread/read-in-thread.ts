import { Worker } from 'node:worker_threads'
import type { ExtractedText, Segment, UnreadableFile } from '@parley/knowledge'
import { findFormat } from '../formats.ts'
import { type ReadFileResult, collectSegments } from '../read-file.ts'
import { type ReadingLimits, toUnreadable } from '../document-reader.ts'

export interface FileToRead {
  readonly bytes: Uint8Array
  readonly mediaType: string
  readonly limits: ReadingLimits
}

export type ReadingMessage =
  /** Later failures are the file's fault, not ours. */
  | { readonly kind: 'loaded' }
  /** As JSON, which transfers faster than a million small objects. */
  | { readonly kind: 'segments'; readonly segments: string }
  | { readonly kind: 'end'; readonly outcome: ReadFileResult | UnreadableFile }

const CHECK_MS = 100
const MEGABYTE = 1_048_576

/** Reads a file in its own thread, so a hostile file can neither block this thread nor crash the process. */
export async function readInThread(
  file: FileToRead,
  signal: AbortSignal,
): Promise<ExtractedText | UnreadableFile> {
  return collectSegments(file.mediaType, (keep) => runThread(file, signal, keep))
}

async function runThread(
  file: FileToRead,
  signal: AbortSignal,
  keep: (segments: readonly Segment[]) => void,
): Promise<ReadFileResult | UnreadableFile> {
  // A copy: the bytes may be part of a larger buffer, which would be sent as a whole.
  const bytes = new Uint8Array(file.bytes)
  const worker = new Worker(new URL('./reading.worker.ts', import.meta.url), {
    workerData: { ...file, bytes },
    transferList: [bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: file.limits.maxHeapMegabytes },
    // Parsers get neither our environment nor our output.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  worker.stdout.resume()
  worker.stderr.resume()

  const { promise, resolve, reject } = Promise.withResolvers<ReadFileResult | UnreadableFile>()
  let whenBroken: string | undefined
  worker.on('message', (message: ReadingMessage) => {
    if (message.kind === 'loaded') whenBroken = findFormat(file.mediaType)?.whenBroken
    else if (message.kind === 'segments') keep(JSON.parse(message.segments) as readonly Segment[])
    else resolve(message.outcome)
  })
  worker.on('error', (error: Error) => {
    if (isOutOfMemory(error)) resolve(TOO_MUCH_MEMORY)
    else if (whenBroken) resolve(toUnreadable(whenBroken))
    else reject(error)
  })
  worker.on('exit', (code) => reject(new Error(`The reading thread ended early, with code ${code}.`)))
  const abort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  const clock = setTimeout(() => resolve(toTooSlow(file.limits)), file.limits.maxMilliseconds)
  const checkMemory = async () => {
    const size = await measureBuffers(worker)
    if (size > file.limits.maxBufferMegabytes * MEGABYTE) resolve(TOO_MUCH_MEMORY)
  }
  const watch = setInterval(() => void checkMemory(), CHECK_MS)

  try {
    return await promise
  } finally {
    clearTimeout(clock)
    clearInterval(watch)
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}

const isOutOfMemory = (error: Error) => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

async function measureBuffers(worker: Worker): Promise<number> {
  try {
    const { external_memory: size } = await worker.getHeapStatistics()
    return size
  } catch {
    // The thread has just ended.
    return 0
  }
}

const TOO_MUCH_MEMORY = toUnreadable(
  'Reading the file takes too much memory: split it into smaller files, or save it as plain text.',
)

const toTooSlow = ({ maxMilliseconds }: ReadingLimits) =>
  toUnreadable(
    `The file took longer than ${maxMilliseconds / 1_000} seconds to read: split it into smaller files, or save it as plain text.`,
  )
