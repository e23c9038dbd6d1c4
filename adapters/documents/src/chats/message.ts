import type { Segment } from '@parley/knowledge'

/** Who wrote a message that names nobody: their account is gone. Without a speaker it would be taken for a text of one's own. */
export const UNKNOWN = 'Unknown'

/** A message of a chat as a segment. */
export function message(
  text: string,
  place: {
    readonly speaker: string
    readonly date: string | undefined
    readonly heading?: string | undefined
  },
): Segment {
  const { speaker, date, heading } = place
  return {
    text,
    place: { speaker, ...(date ? { date } : {}), ...(heading ? { heading } : {}) },
  }
}
