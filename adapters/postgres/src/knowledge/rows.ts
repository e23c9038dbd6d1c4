import type {
  Evidence,
  Fact,
  Finding,
  Member,
  Namespace,
  Patch,
  Reflection,
  ReflectionVoice,
  Source,
} from '@parley/contracts'

export interface ReflectionRow extends Pick<Reflection, 'id' | 'approval'> {
  readonly display_name: string
  readonly creator_name: string | null
  readonly conversation_approval: Reflection['approval']
  readonly publish_revision: number
  readonly knowledge_revision: number
  readonly voice: ReflectionVoice | null
  readonly share_ingestion: boolean
  readonly namespaces: readonly Namespace[]
  readonly created_at: Date
  /** The role of the person whose reflections are listed. */
  readonly role?: Member['role'] | null
  /** The namespaces that this person reads. */
  readonly reached?: readonly string[]
}

export interface MemberRow extends Pick<Member, 'label'> {
  readonly person_id: Member['personId']
  readonly role: Member['role']
  /** The chosen namespaces, by name; null means all. */
  readonly namespaces: readonly string[] | null
  readonly invited_until: Date | null
}

export interface SourceRow extends Pick<
  Source,
  'id' | 'title' | 'namespace' | 'bytes' | 'state' | 'chunks' | 'facts'
> {
  readonly is_published: boolean
  readonly media_type: string
  readonly file_name: string | null
  readonly created_at: Date
  readonly phase: Source['phase'] | null
  readonly phase_done: number | null
  readonly phase_total: number | null
  readonly problem: string | null
  /** The source with the same bytes, and its title while it exists. */
  readonly duplicate_of: Source['id'] | null
  readonly duplicate_title: string | null
}

export interface StoredFactRow extends Pick<
  Fact,
  'id' | 'namespace' | 'subject' | 'predicate' | 'object' | 'statement' | 'confidence' | 'state'
> {
  readonly valid_from: string | null
  readonly valid_to: string | null
  readonly supersedes_fact_id: Fact['id'] | null
  readonly repeats_fact_id: Fact['id'] | null
  readonly superseded_at: Date | null
  readonly superseded_by: Fact['id'] | null
  readonly patch_id: Fact['patchId']
  readonly evidence: readonly (Omit<Evidence, 'isConfided'> & { readonly isConfided: boolean })[]
  readonly created_at: Date
}

export interface PatchRow extends Pick<Patch, 'id' | 'origin' | 'status'> {
  readonly source_id: Source['id'] | null
  readonly findings: readonly Finding[] | null
  readonly supersedes: readonly Fact['id'][]
  /** The replacements that the rules found. */
  readonly replacements: readonly { readonly factId: Fact['id']; readonly by: Fact['id'] }[] | null
  readonly decided_by: string | null
  readonly created_at: Date
  readonly decided_at: Date | null
}

export const toReflection = (row: ReflectionRow): Reflection => ({
  id: row.id,
  displayName: row.display_name,
  ...(row.creator_name !== null && { creatorName: row.creator_name }),
  approval: row.approval,
  ...(row.conversation_approval === 'by_rule' && { conversationApproval: row.conversation_approval }),
  publishRevision: row.publish_revision,
  knowledgeRevision: row.knowledge_revision,
  namespaces: row.namespaces.filter(({ name }) => row.reached?.includes(name) ?? true),
  ...(row.voice !== null && { voice: row.voice }),
  shareIngestion: row.share_ingestion,
  createdAt: row.created_at.toISOString(),
  ...(row.role && { role: row.role }),
})

export const toMember = (row: MemberRow): Member => ({
  personId: row.person_id,
  label: row.label,
  role: row.role,
  namespaces: row.namespaces === null ? 'all' : [...row.namespaces],
  ...(row.invited_until && { invitedUntil: row.invited_until.toISOString() }),
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

export const toFact = (row: StoredFactRow): Fact => ({
  id: row.id,
  namespace: row.namespace,
  subject: row.subject,
  predicate: row.predicate,
  object: row.object,
  statement: row.statement,
  confidence: row.confidence,
  // A repetition counts as active with its fact, though its row is rejected.
  state: row.repeats_fact_id === null ? row.state : 'active',
  ...(row.valid_from !== null && { validFrom: row.valid_from }),
  ...(row.valid_to !== null && { validTo: row.valid_to }),
  ...(row.supersedes_fact_id !== null && { supersedesFactId: row.supersedes_fact_id }),
  ...(row.repeats_fact_id !== null && { repeatsFactId: row.repeats_fact_id }),
  ...(row.superseded_at !== null && { supersededAt: row.superseded_at.toISOString() }),
  ...(row.superseded_by !== null && { supersededBy: row.superseded_by }),
  patchId: row.patch_id,
  evidence: row.evidence.map(({ isConfided, ...evidence }) => ({
    ...evidence,
    ...(isConfided && { isConfided }),
  })),
  createdAt: row.created_at.toISOString(),
})

/** Selects the patch's own facts, and those that it supersedes. */
export const toPatch = (row: PatchRow, facts: readonly StoredFactRow[]): Patch => ({
  id: row.id,
  origin: row.origin,
  ...(row.source_id !== null && { sourceId: row.source_id }),
  status: row.status,
  findings: [...(row.findings ?? [])],
  facts: toPatchFacts(row, facts),
  supersedes: toSupersededFacts(row, facts),
  ...(row.decided_by !== null && { decidedBy: row.decided_by }),
  createdAt: row.created_at.toISOString(),
  ...(row.decided_at !== null && { decidedAt: row.decided_at.toISOString() }),
})

/** Applied facts are linked to those that they replaced; before, the evaluation lists the replacements. */
function toPatchFacts({ id, status, replacements }: PatchRow, facts: readonly StoredFactRow[]): Fact[] {
  const isLinked = status === 'applied' || status === 'reverted'
  const replaced = new Map((isLinked ? [] : (replacements ?? [])).map(({ factId, by }) => [by, factId]))
  return facts
    .filter(({ patch_id }) => patch_id === id)
    .map((fact) =>
      toFact({ ...fact, supersedes_fact_id: fact.supersedes_fact_id ?? replaced.get(fact.id) ?? null }),
    )
}

function toSupersededFacts({ supersedes }: PatchRow, facts: readonly StoredFactRow[]): Fact[] {
  const ids = new Set(supersedes)
  return facts.filter(({ id }) => ids.has(id)).map(toFact)
}
