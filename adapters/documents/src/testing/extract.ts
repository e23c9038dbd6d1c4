import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ExtractedText, UnreadableFile } from '@parley/knowledge'
import { extractText, mediaTypeOf } from '../extract-text.ts'
import { LIMITS, type Limits } from '../reading.ts'

/** Extracts a file with this name. */
export async function extract(
  bytes: Uint8Array | string,
  fileName: string,
  limits: Partial<Limits> = {},
): Promise<ExtractedText | UnreadableFile> {
  const file = { bytes: Buffer.from(bytes), mediaType: 'application/octet-stream', fileName }
  return extractText(file, new AbortController().signal, limits)
}

/** The same, for a file that must be readable. */
export const segmentsOf = async (bytes: Uint8Array | string, fileName: string) =>
  textOf(await extract(bytes, fileName)).segments

/** The same in a shared thread: starting one takes longer than reading most files. */
export async function extractTogether(
  bytes: Uint8Array,
  fileName: string,
  limits: Partial<Limits> = {},
): Promise<ExtractedText | UnreadableFile> {
  const file = {
    bytes: new Uint8Array(bytes),
    mediaType: await mediaTypeOf(bytes, fileName),
    limits: { ...LIMITS, ...limits },
  }
  reader ??= startReader(file.limits)
  reader.postMessage(file, [file.bytes.buffer])
  const [read] = await once(reader, 'message')
  if ('failure' in read) throw read.failure
  return read
}

export const segmentsTogether = async (bytes: Uint8Array, fileName: string) =>
  textOf(await extractTogether(bytes, fileName)).segments

let reader: Worker | undefined

function startReader({ maxHeapMegabytes }: Limits): Worker {
  const worker = new Worker(new URL('./many-files.worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
    env: {},
    execArgv: [],
  })
  worker.unref()
  worker.once('exit', () => (reader = undefined))
  return worker
}

function textOf(read: ExtractedText | UnreadableFile): ExtractedText {
  if (!('segments' in read)) throw new Error(read.why)
  return read
}
