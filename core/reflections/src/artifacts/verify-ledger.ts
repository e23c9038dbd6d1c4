import type { LedgerEntry, LedgerStage, StoredGeneration } from '@parley/contracts'
import { evaluateArtifacts } from './evaluate-artifacts.ts'
import { type Sha256, hashContent } from './content-hash.ts'

export interface Ledger {
  readonly reflectionId: string
  /** In the order of the chain. */
  readonly entries: readonly LedgerEntry[]
  /** The generation in use. */
  readonly live?: number | undefined
}

export interface LedgerFault {
  /** The position of the entry. Absent if the fault belongs to no single entry. */
  readonly position?: number
  readonly problem: string
}

/** Recomputes the chain, the payloads and the verdicts, and lists every difference from the ledger. */
export function verifyLedger(
  ledger: Ledger,
  findStored: (generation: number) => StoredGeneration | undefined,
  sha256: Sha256,
): readonly LedgerFault[] {
  return [
    ...findChainFaults(ledger, sha256),
    ...findStageFaults(ledger.entries),
    ...findPayloadFaults(ledger.entries, findStored, sha256),
    ...findLiveFaults(ledger),
  ]
}

/** The number of verdicts that cannot be recomputed, because their content was erased. */
export function countErasedVerdicts(entries: readonly LedgerEntry[]): number {
  const erased = listErasedGenerations(entries)
  return entries.filter(({ stage, generation }) => stage === 'evaluated' && erased.has(generation)).length
}

const listErasedGenerations = (entries: readonly LedgerEntry[]): ReadonlySet<number> =>
  new Set(entries.filter(({ stage }) => stage === 'erased').map(({ generation }) => generation))

function findChainFaults({ reflectionId, entries }: Ledger, sha256: Sha256): readonly LedgerFault[] {
  return entries.flatMap((entry, index) => {
    const { position } = entry
    const expected = createLedgerEntry(reflectionId, entries[index - 1], entry, sha256)
    if (position !== expected.position) {
      return [{ position, problem: `stands where entry ${expected.position} belongs` }]
    }
    if (entry.previousHash !== expected.previousHash) {
      return [{ position, problem: 'does not follow the entry before it' }]
    }
    return entry.entryHash === expected.entryHash
      ? []
      : [{ position, problem: 'does not say what its hash was made from' }]
  })
}

/** The allowed next stages of one generation. */
const FOLLOWING: Readonly<Record<LedgerStage | 'none', readonly LedgerStage[]>> = {
  none: ['candidate'],
  candidate: ['evaluated', 'erased'],
  evaluated: ['promoted', 'rejected', 'outrun'],
  promoted: ['erased'],
  rejected: ['erased'],
  outrun: ['erased'],
  erased: [],
}

function findStageFaults(entries: readonly LedgerEntry[]): readonly LedgerFault[] {
  const last = new Map<number, LedgerEntry>()
  let highestPromoted = 0
  return entries.flatMap((entry) => {
    const { position, generation, stage, payloadHash } = entry
    const before = last.get(generation)
    last.set(generation, entry)
    const highest = highestPromoted
    if (stage === 'promoted') highestPromoted = Math.max(highestPromoted, generation)
    if (!FOLLOWING[before?.stage ?? 'none'].includes(stage)) {
      return [{ position, problem: `${stage} cannot follow ${before?.stage ?? 'nothing'}` }]
    }
    if (before && before.payloadHash !== payloadHash) {
      return [{ position, problem: `is about another payload than entry ${before.position}` }]
    }
    const expected = decideFinalStage(before, generation, highest)
    return before?.stage !== 'evaluated' || stage === expected
      ? []
      : [{ position, problem: `generation ${generation} should have been ${expected}, not ${stage}` }]
  })
}

const decideFinalStage = (
  evaluated: LedgerEntry | undefined,
  generation: number,
  highest: number,
): LedgerStage => {
  if (evaluated && evaluated.reasons.length > 0) return 'rejected'
  return generation > highest ? 'promoted' : 'outrun'
}

function findPayloadFaults(
  entries: readonly LedgerEntry[],
  storedOf: (generation: number) => StoredGeneration | undefined,
  sha256: Sha256,
): readonly LedgerFault[] {
  const erased = listErasedGenerations(entries)
  return entries.flatMap(({ position, generation, stage, payloadHash, reasons }) => {
    if (stage !== 'candidate' && stage !== 'evaluated') return []
    const stored = storedOf(generation)
    if (!stored) return [{ position, problem: `the payload of generation ${generation} is missing` }]
    const { artifacts, publishedNamespaces } = stored
    if (artifacts === undefined) {
      return erased.has(generation)
        ? []
        : [{ position, problem: `the payload of generation ${generation} is gone, and no entry says so` }]
    }
    if (stage === 'candidate') {
      return hashPayload(artifacts, sha256) === payloadHash
        ? []
        : [{ position, problem: `the payload of generation ${generation} is not the one that was kept` }]
    }
    const verdict = evaluateArtifacts(artifacts, publishedNamespaces, sha256)
    return JSON.stringify(verdict.reasons) === JSON.stringify(reasons)
      ? []
      : [
          {
            position,
            problem: `the recorded verdict on generation ${generation} does not match a new evaluation`,
          },
        ]
  })
}

function findLiveFaults({ entries, live }: Ledger): readonly LedgerFault[] {
  const promoted = entries.filter(({ stage }) => stage === 'promoted').map(({ generation }) => generation)
  const highest = promoted.length === 0 ? undefined : Math.max(...promoted)
  if (live === highest) return []
  const says =
    highest === undefined ? 'that none was promoted' : `that generation ${highest} was promoted last`
  return [
    {
      problem: `${live === undefined ? 'nothing' : `generation ${live}`} serves, but the ledger says ${says}`,
    },
  ]
}

/** An entry without its place in the chain. */
export type LedgerDecision = Pick<LedgerEntry, 'generation' | 'stage' | 'payloadHash' | 'reasons' | 'at'>

/** The next entry of a chain. The first one follows the reflection's id, so no chain is valid for another reflection. */
export function createLedgerEntry(
  reflectionId: string,
  previous: Pick<LedgerEntry, 'position' | 'entryHash'> | undefined,
  { generation, stage, payloadHash, reasons, at }: LedgerDecision,
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
  return { ...entry, entryHash: hashContent(entry, sha256) }
}

/** A hash of a stored payload, also of an invalid one. */
export const hashPayload = (payload: unknown, sha256: Sha256): string => hashContent({ payload }, sha256)
