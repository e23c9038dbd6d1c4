import type { LedgerEntry, ReflectionId, StoredGeneration } from '@parley/contracts'
import type { ReflectionsClient } from './reflections/reflections-client.ts'
import { ignoreErrors } from './request.ts'

/** The whole ledger in chain order, and the active version. */
export interface WholeLedger {
  readonly reflectionId: ReflectionId
  readonly entries: readonly LedgerEntry[]
  readonly live?: number | undefined
}

const PAGE = 200

export async function readWholeLedger(
  reflections: Pick<ReflectionsClient, 'ledger'>,
  reflectionId: ReflectionId,
): Promise<WholeLedger> {
  const first = await reflections.ledger({ reflectionId, limit: PAGE })
  const items = [...first.items]
  let cursor = first.nextCursor
  while (cursor !== undefined) {
    const page = await reflections.ledger({ reflectionId, limit: PAGE, cursor })
    items.push(...page.items)
    cursor = page.nextCursor
  }
  // The active version came with the latest entries.
  return { reflectionId, entries: items.toReversed(), live: first.live }
}

/** Every stored generation of a ledger; missing ones are skipped. */
export async function readGenerations(
  reflections: Pick<ReflectionsClient, 'generation'>,
  { entries, reflectionId }: WholeLedger,
  onRead: (read: number, all: number) => void = () => {},
): Promise<ReadonlyMap<number, StoredGeneration>> {
  const stored = new Map<number, StoredGeneration>()
  const all = new Set(entries.map(({ generation }) => generation))
  let read = 0
  for (const generation of all) {
    onRead((read += 1), all.size)
    const found = await reflections.generation({ reflectionId, generation }).catch(ignoreErrors('not_found'))
    if (found) stored.set(generation, found)
  }
  return stored
}
