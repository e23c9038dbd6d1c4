import { z } from 'zod'
import { Place } from './knowledge.ts'

/** A part of a source's text as it was read; the first has the number 1. */
const SourcePassage = z.object({ ordinal: z.int().positive(), text: z.string(), place: Place })
export type SourcePassage = z.infer<typeof SourcePassage>

export const SourceText = z.object({
  items: z.array(SourcePassage),
  /** How many passages the source has; none until it was learned, and where it is being removed. */
  count: z.int().min(0),
  /** The passage that holds the words which were looked for. */
  foundAt: z.int().positive().optional(),
})
export type SourceText = z.infer<typeof SourceText>

export const SourceTextQuery = z.object({
  /** The number of the passage after which to begin. */
  after: z.coerce.number().int().min(0).max(10_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** Words that stand so in the text: the passages around them are given, wherever `after` is. */
  words: z.string().min(1).max(300).optional(),
})
