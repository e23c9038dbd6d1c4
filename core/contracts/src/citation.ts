import { z } from 'zod'
import { EvidenceItem } from './knowledge.ts'
import { MAX_SEQUENCE } from './api-bodies.ts'

/** Something that was looked up in a session, and what of it still stands. */
export const Citation = z.object({
  /** Counts up from 1 within its session. */
  number: z.int().positive(),
  query: z.string(),
  at: z.iso.datetime(),
  evidence: z.array(
    EvidenceItem.omit({ score: true, source: true, sha256: true, corrects: true }).extend({
      /** Of a fact: the words that bear it out, as they stand in the source. */
      quote: z.string().optional(),
      /** Its id is for members alone, who can open it. */
      source: EvidenceItem.shape.source.partial({ id: true }),
    }),
  ),
  /** How much was found then that is no longer there, or no longer to be told. */
  gone: z.int().min(0),
})
export type Citation = z.infer<typeof Citation>

export const ReadCitations = z.object({
  /** The number of the last one that is known already. */
  after: z.coerce.number().int().min(0).max(MAX_SEQUENCE).default(0),
  limit: z.coerce.number().int().min(1).max(50).default(50),
})

export const CitationPage = z.object({
  items: z.array(Citation),
  /** Give it as `after` to read on; absent at the end. */
  nextCursor: z.string().optional(),
})
export type CitationPage = z.infer<typeof CitationPage>
