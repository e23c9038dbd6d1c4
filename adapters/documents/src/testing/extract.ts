import type { ExtractedText, UnreadableFile } from '@parley/knowledge'
import { extractText } from '../extract-text.ts'
import type { Limits } from '../limits.ts'

/** What is read of a file of this name. */
export async function extract(
  bytes: Uint8Array | string,
  fileName: string,
  limits: Partial<Limits> = {},
): Promise<ExtractedText | UnreadableFile> {
  const file = { bytes: Buffer.from(bytes), mediaType: 'application/octet-stream', fileName }
  return extractText(file, new AbortController().signal, limits)
}

/** The same, where it is text. */
export async function segmentsOf(bytes: Uint8Array | string, fileName: string) {
  const text = await extract(bytes, fileName)
  if (!('segments' in text)) throw new Error(text.why)
  return text.segments
}
