import type { Evidence, Fact, Member, Patch, Reflection, Source } from '@parley/contracts'
import { type RowOf, toRecord } from '../records.ts'

export type ReflectionRow = RowOf<Omit<Reflection, 'reads'>> & {
  /** The namespaces that the person reads whose reflections are listed. */
  readonly reached?: readonly string[]
}

type MemberFields = Omit<Member, 'namespaces'>

export type MemberRow = RowOf<MemberFields> & {
  /** The chosen namespaces, by name; null means all. */
  readonly namespaces: readonly string[] | null
}

export type SourceRow = RowOf<Omit<Source, 'addedAt' | 'progress'>> & {
  readonly created_at: Date
  readonly is_published: boolean
  readonly phase_done: number | null
  readonly phase_total: number | null
  /** The source with the same bytes, and its title while it exists. */
  readonly duplicate_of: Source['id'] | null
  readonly duplicate_title: string | null
}

export type StoredFactRow = RowOf<Omit<Fact, 'evidence'>> & {
  readonly evidence: readonly (Omit<Evidence, 'isConfided'> & { readonly isConfided: boolean })[]
}

type PatchFields = Omit<Patch, 'facts' | 'supersedes'>

export type PatchRow = RowOf<PatchFields> & {
  readonly supersedes: readonly Fact['id'][]
  /** The replacements that the rules found. */
  readonly replacements: readonly { readonly factId: Fact['id']; readonly by: Fact['id'] }[]
}

export const toReflection = ({ reached, ...row }: ReflectionRow): Reflection => ({
  ...toRecord<Omit<Reflection, 'reads'>>(row),
  namespaces: row.namespaces.filter(({ name }) => reached?.includes(name) ?? true),
})

export const toMember = ({ namespaces, ...row }: MemberRow): Member => ({
  ...toRecord<MemberFields>(row),
  namespaces: namespaces === null ? 'all' : [...namespaces],
})

export const toSource = (row: SourceRow): Source => ({
  id: row.id,
  title: row.title,
  namespace: row.namespace,
  mediaType: row.media_type,
  ...(row.file_name !== null && { fileName: row.file_name }),
  bytes: row.bytes,
  addedAt: row.created_at.toISOString(),
  state: row.state,
  ...(row.state === 'running' && toPhase(row)),
  ...toProblem(row),
  chunks: row.chunks,
  facts: row.facts,
})

function toProblem({ state, problem, duplicate_of, duplicate_title }: SourceRow): Pick<Source, 'problem'> {
  if (state !== 'duplicate_skipped' || duplicate_of === null) return problem === null ? {} : { problem }
  return {
    problem:
      duplicate_title === null
        ? 'Another source with the same bytes was removed. Add this one again to import it.'
        : `The source “${duplicate_title}” (${duplicate_of}) holds the same bytes. To replace it, add the new version under its id; to have them here instead, remove it and add this one again.`,
  }
}

const toPhase = ({ phase, phase_done, phase_total }: SourceRow): Pick<Source, 'phase' | 'progress'> => ({
  ...(phase !== null && { phase }),
  ...(phase_done !== null && phase_total !== null && { progress: { done: phase_done, total: phase_total } }),
})

export const toFact = ({ evidence, ...row }: StoredFactRow): Fact => ({
  ...toRecord<Omit<Fact, 'evidence'>>(row),
  // A repetition counts as active with its fact, though its row is rejected.
  state: row.repeats_fact_id === null ? row.state : 'active',
  evidence: evidence.map(({ isConfided, ...item }) => ({ ...item, ...(isConfided && { isConfided }) })),
})

/** Selects the patch's own facts, and those that it supersedes. */
export const toPatch = (
  { supersedes, replacements, ...row }: PatchRow,
  facts: readonly StoredFactRow[],
): Patch => ({
  ...toRecord<PatchFields>(row),
  facts: toPatchFacts(row, replacements, facts),
  supersedes: toSupersededFacts(new Set(supersedes), facts),
})

/** Applied facts are linked to those that they replaced; before, the evaluation lists the replacements. */
function toPatchFacts(
  { id, status }: Pick<PatchRow, 'id' | 'status'>,
  replacements: PatchRow['replacements'],
  facts: readonly StoredFactRow[],
): Fact[] {
  const isLinked = status === 'applied' || status === 'reverted'
  const replaced = new Map((isLinked ? [] : replacements).map(({ factId, by }) => [by, factId]))
  return facts
    .filter(({ patch_id }) => patch_id === id)
    .map((fact) =>
      toFact({ ...fact, supersedes_fact_id: fact.supersedes_fact_id ?? replaced.get(fact.id) ?? null }),
    )
}

const toSupersededFacts = (ids: ReadonlySet<Fact['id']>, facts: readonly StoredFactRow[]): Fact[] =>
  facts.filter(({ id }) => ids.has(id)).map(toFact)
