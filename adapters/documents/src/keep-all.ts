import type { ExtractedText, Segment, UnreadableFile } from '@parley/knowledge'
import type { Read } from './read-file.ts'

/** Puts the parts that a file is read in together. */
export async function keepAll(
  mediaType: string,
  read: (keep: (segments: readonly Segment[]) => void) => Promise<Read | UnreadableFile>,
): Promise<ExtractedText | UnreadableFile> {
  const segments: Segment[] = []
  const outcome = await read((more) => {
    for (const segment of more) segments.push(segment)
  })
  if (outcome.kind === 'unreadable') return outcome
  return { mediaType, ...(outcome.title ? { title: outcome.title } : {}), segments }
}
