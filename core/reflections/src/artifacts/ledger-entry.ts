import type { LedgerEntry } from '@parley/contracts'
import { contentHashOf, type Sha256 } from './content-hash.ts'

/** What an entry says, before it has its place in the chain. */
export type LedgerFact = Pick<LedgerEntry, 'generation' | 'stage' | 'payloadHash' | 'reasons' | 'at'>

/** The entry that follows another; the first one follows the reflection's id, so that no chain passes for another's. */
export function ledgerEntryOf(
  reflectionId: string,
  previous: Pick<LedgerEntry, 'position' | 'entryHash'> | undefined,
  { generation, stage, payloadHash, reasons, at }: LedgerFact,
  sha256: Sha256,
): LedgerEntry {
  const entry = {
    position: (previous?.position ?? 0) + 1,
    generation,
    stage,
    payloadHash,
    reasons,
    at,
    previousHash: previous?.entryHash ?? sha256(reflectionId),
  }
  return { ...entry, entryHash: contentHashOf(entry, sha256) }
}

/** Of a payload as it is stored, whatever it is. */
export const payloadHashOf = (payload: unknown, sha256: Sha256): string => contentHashOf({ payload }, sha256)
