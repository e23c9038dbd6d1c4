import type { Segment } from '@parley/knowledge'

/** A message of a chat as a segment. */
export function message(
  text: string,
  place: {
    readonly speaker: string | undefined
    readonly date: string | undefined
    readonly heading?: string | undefined
  },
): Segment {
  const { speaker, date, heading } = place
  return {
    text,
    place: { ...(speaker ? { speaker } : {}), ...(date ? { date } : {}), ...(heading ? { heading } : {}) },
  }
}
