import type { LedgerEntry, LedgerStage } from '@parley/contracts'

/** One build of what speaks for a reflection, with all that the ledger says of it. */
export interface Generation {
  readonly generation: number
  /** Latest first. */
  readonly entries: readonly LinkedEntry[]
  readonly stage: LedgerStage
}

export interface LinkedEntry extends LedgerEntry {
  /** Whether it names the hash of the one before it; `unseen` where that one is not read yet. */
  readonly link: 'follows' | 'broken' | 'unseen' | 'first'
}

/** Entries, latest first, by the generation that they are about. */
export function generationsOf(entries: readonly LedgerEntry[]): readonly Generation[] {
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]))
  const groups = new Map<number, LinkedEntry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.generation) ?? []
    groups.set(entry.generation, [...group, { ...entry, link: linkOf(entry, byPosition) }])
  }
  return [...groups].map(([generation, group]) => ({
    generation,
    entries: group,
    stage: group[0]?.stage ?? 'candidate',
  }))
}

function linkOf(
  { position, previousHash }: LedgerEntry,
  byPosition: ReadonlyMap<number, LedgerEntry>,
): LinkedEntry['link'] {
  if (position === 1) return 'first'
  const before = byPosition.get(position - 1)
  if (!before) return 'unseen'
  return before.entryHash === previousHash ? 'follows' : 'broken'
}
