import type { Segment, UnreadableFile } from '@parley/knowledge'
import { formatOf } from './formats.ts'
import { KeptSegments } from './kept-segments.ts'
import type { Limits } from './limits.ts'
import { type Reading, unreadable } from './reading.ts'
import { cleanName } from './text/clean-name.ts'
import { whyNotRead } from './why-not-read.ts'

export interface Read {
  readonly kind: 'read'
  readonly title?: string
}

/** Reads a file in this thread. What it says is handed over in parts, in order. */
export async function readFile(
  bytes: Uint8Array,
  mediaType: string,
  limits: Limits,
  keep: (segments: readonly Segment[]) => void,
): Promise<Read | UnreadableFile> {
  const format = formatOf(mediaType)
  if (!format) return unreadable(whyNotRead(mediaType))
  const read = await format.reader()
  try {
    const reading = await read(bytes, limits)
    if ('kind' in reading) return reading
    return await keepSegments(reading, limits, keep)
  } catch (error) {
    // Other people's parsers throw at broken files; ours do not.
    if (!format.whenBroken) throw error
    return unreadable(format.whenBroken)
  }
}

async function keepSegments(
  { title, segments, whenEmpty }: Reading,
  limits: Limits,
  keep: (segments: readonly Segment[]) => void,
): Promise<Read | UnreadableFile> {
  const kept = new KeptSegments(limits, keep)
  // To wait for what is there already would cost more than to read it.
  if (Symbol.iterator in segments) {
    for (const segment of segments) if (!kept.add(segment)) break
  } else {
    for await (const segment of segments) if (!kept.add(segment)) break
  }
  const tooMuch = kept.end()
  if (tooMuch) return tooMuch
  if (kept.count === 0) return unreadable(whenEmpty ?? 'There is no text in the file.')
  const name = title === undefined ? '' : cleanName(title)
  return { kind: 'read', ...(name ? { title: name } : {}) }
}
