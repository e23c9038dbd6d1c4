import { z } from 'zod'

/**
 * What became of a generation: kept, judged, and then it serves, does not, or a higher one served already. `erased`: of
 * what it said the hash alone is left.
 */
export const LedgerStage = z.enum(['candidate', 'evaluated', 'promoted', 'rejected', 'outrun', 'erased'])
export type LedgerStage = z.infer<typeof LedgerStage>

/** One line of what is only ever added to. Its hashes are texts, so that a wrong one can be read and shown too. */
export const LedgerEntry = z.object({
  position: z.int().min(1),
  generation: z.int().min(1),
  stage: LedgerStage,
  payloadHash: z.string(),
  /** All that speaks against the generation, where it was judged. */
  reasons: z.array(z.string()),
  at: z.iso.datetime(),
  previousHash: z.string(),
  entryHash: z.string(),
})
export type LedgerEntry = z.infer<typeof LedgerEntry>

/** The ledger of a reflection, latest first. */
export const LedgerPage = z.object({
  items: z.array(LedgerEntry),
  /** Give it as `cursor` to read on; absent at the end. */
  nextCursor: z.string().optional(),
  /** The generation that serves now. */
  live: z.int().min(1).optional(),
})
export type LedgerPage = z.infer<typeof LedgerPage>

/** One generation just as it is stored, right or not; without artifacts where a source of them was removed. */
export const StoredGeneration = z.object({
  generation: z.int().min(1),
  /** What was published when its build began. */
  publishedNamespaces: z.array(z.string()),
  artifacts: z.unknown().optional(),
})
export type StoredGeneration = z.infer<typeof StoredGeneration>
