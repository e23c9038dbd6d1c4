import { createHash } from 'node:crypto'
import type { LedgerEntry, LedgerStage } from '@parley/contracts'
import { type LedgerFact, ledgerEntryOf } from '@parley/reflections'
import type { Run } from '../queries.ts'

/** Where a generation ends. */
export type Settled = Extract<LedgerStage, 'promoted' | 'rejected' | 'outrun'>

/** Adds the next entry to the chain; what it says already stays as it is. Who calls it holds the reflection's lock. */
export async function appendLedger(
  within: Run,
  reflectionId: string,
  fact: Omit<LedgerFact, 'at'>,
): Promise<void> {
  const [known] = await within(FIND, [reflectionId, fact.generation, fact.stage])
  if (known) return
  const [last] = await within<LastRow>(LAST, [reflectionId])
  const [clock] = await within<{ at: string }>(NOW)
  const previous = last && { position: last.position, entryHash: last.entry_hash }
  const entry = ledgerEntryOf(reflectionId, previous, { ...fact, at: clock?.at ?? '' }, sha256)
  await within(APPEND, [reflectionId, ...columnsOf(entry)])
}

/** What became of the generation, where that is known. */
export async function settledAs(
  within: Run,
  reflectionId: string,
  generation: number,
): Promise<Settled | undefined> {
  const [row] = await within<{ stage: Settled }>(FIND_SETTLED, [reflectionId, generation])
  return row?.stage
}

interface LastRow {
  readonly position: number
  readonly entry_hash: string
}

const columnsOf = (entry: LedgerEntry): readonly unknown[] => [
  entry.position,
  entry.generation,
  entry.stage,
  entry.payloadHash,
  JSON.stringify(entry.reasons),
  entry.at,
  entry.previousHash,
  entry.entryHash,
]

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const FIND = {
  name: 'find_ledger_entry',
  text: 'select position from artifact_ledger where reflection_id = $1 and generation = $2 and stage = $3',
}

const FIND_SETTLED = {
  name: 'find_settled',
  text: `select stage from artifact_ledger
    where reflection_id = $1 and generation = $2 and stage in ('promoted', 'rejected', 'outrun')`,
}

const LAST = {
  name: 'last_ledger_entry',
  text: `select position, entry_hash from artifact_ledger where reflection_id = $1
    order by position desc limit 1`,
}

// Not the time at which the transaction began, which may have waited for the lock.
const NOW = { name: 'ledger_time', text: 'select said_at(clock_timestamp()) as at' }

const APPEND = {
  name: 'append_ledger',
  text: `insert into artifact_ledger
      (reflection_id, position, generation, stage, payload_hash, reasons, at, previous_hash, entry_hash)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
}
