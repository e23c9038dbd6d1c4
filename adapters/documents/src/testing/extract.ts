import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ExtractedText, UnreadableFile } from '@parley/knowledge'
import { extractText, detectFileType } from '../extract-text.ts'
import { READING_LIMITS, type ReadingLimits } from '../document-reader.ts'

/** Extracts a file with this name. */
export async function extract(
  bytes: Uint8Array | string,
  fileName: string,
  limits: Partial<ReadingLimits> = {},
): Promise<ExtractedText | UnreadableFile> {
  const file = { bytes: Buffer.from(bytes), mediaType: 'application/octet-stream', fileName }
  return extractText(file, new AbortController().signal, limits)
}

/** The same, for a file that must be readable. */
export const extractSegments = async (bytes: Uint8Array | string, fileName: string) =>
  requireText(await extract(bytes, fileName)).segments

/** The same in a shared thread: starting one takes longer than reading most files. */
export async function extractInSharedThread(
  bytes: Uint8Array,
  fileName: string,
  limits: Partial<ReadingLimits> = {},
): Promise<ExtractedText | UnreadableFile> {
  const file = {
    bytes: new Uint8Array(bytes),
    mediaType: await detectFileType(bytes, fileName),
    limits: { ...READING_LIMITS, ...limits },
  }
  reader ??= startReader(file.limits)
  reader.postMessage(file, [file.bytes.buffer])
  const [read] = await once(reader, 'message')
  if ('failure' in read) throw read.failure
  return read
}

export const extractSegmentsInSharedThread = async (bytes: Uint8Array, fileName: string) =>
  requireText(await extractInSharedThread(bytes, fileName)).segments

let reader: Worker | undefined

function startReader({ maxHeapMegabytes }: ReadingLimits): Worker {
  const worker = new Worker(new URL('./many-files.worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
    env: {},
    execArgv: [],
  })
  worker.unref()
  worker.once('exit', () => (reader = undefined))
  return worker
}

function requireText(read: ExtractedText | UnreadableFile): ExtractedText {
  if (!('segments' in read)) throw new Error(read.why)
  return read
}
