import type { ExtractedText, Original, UnreadableFile } from '@parley/knowledge'
import { LIMITS, type Limits } from './limits.ts'
import { mediaTypeOf } from './media-type-of.ts'
import { keepAll } from './keep-all.ts'
import { formatOf } from './formats.ts'
import { readFile } from './read-file.ts'
import { unreadable } from './reading.ts'
import { readInThread } from './thread/read-in-thread.ts'
import { whyNotRead } from './why-not-read.ts'

/** Up to this size our own readers are done before a thread would have started. */
const SMALL = 256_000

/** What a file says. Rejects only when `signal` is aborted. */
export async function extractText(
  file: Original,
  signal: AbortSignal,
  limits: Partial<Limits> = {},
): Promise<ExtractedText | UnreadableFile> {
  signal.throwIfAborted()
  const bounds = { ...LIMITS, ...limits }
  if (file.bytes.length === 0) return unreadable('The file is empty.')
  if (file.bytes.length > bounds.maxBytes) {
    return unreadable(
      `The file has ${file.bytes.length} bytes, and at most ${bounds.maxBytes} are read: split it into smaller files.`,
    )
  }

  const mediaType = await mediaTypeOf(file.bytes, file.fileName, file.mediaType)
  signal.throwIfAborted()
  const format = formatOf(mediaType)
  if (!format) return unreadable(whyNotRead(mediaType))
  if (format.whenBroken || file.bytes.length > SMALL) {
    return readInThread({ bytes: file.bytes, mediaType, limits: bounds }, signal)
  }
  return keepAll(mediaType, (keep) => readFile(file.bytes, mediaType, bounds, keep))
}
