import { type LedgerEntry, PlatformError, type VoiceEvidence } from '@parley/contracts'
import type { RuntimeReader } from '@parley/reflections'
import type { MembersHost } from '../knowledge/store-host.ts'
import { lookWithin } from '../knowledge/transact.ts'
import { readPromoted } from './read-promoted.ts'
import { readPublicPreview } from './read-public-preview.ts'

/** What speaks for reflections, to read, through the login of `parley_serving`. */
export function postgresRuntimeReader({
  run,
  transact,
  transactMember,
}: Pick<MembersHost, 'run' | 'transact' | 'transactMember'>): RuntimeReader {
  return {
    previewPublish: (reflectionId, wanted) =>
      lookWithin(transact, (within) => readPublicPreview(within, reflectionId, wanted)),

    promoted: (reflectionId, audience = 'public', signal) =>
      readPromoted(run, reflectionId, audience, signal),

    async promotedEvidence(capability) {
      const [row] = await transactMember(capability)((within) => within<EvidenceRow>(READ_EVIDENCE))
      if (!row) return undefined
      const { display_name: displayName, creator_name, former_names: formerNames, evidence } = row
      return {
        displayName,
        ...(creator_name !== null && { creatorName: creator_name }),
        formerNames,
        evidence,
      }
    },

    async ledger(reflectionId, { limit, cursor }) {
      if (cursor !== undefined && !/^\d{1,9}$/.test(cursor)) {
        throw new PlatformError('validation', {
          message: 'This cursor is none of ours. Leave it out to start at the first page.',
        })
      }
      const rows = await run<LedgerRow>(READ_LEDGER, [reflectionId, limit + 1, cursor ?? null])
      const live = rows[0]?.live ?? undefined
      const entries = rows.filter(({ position }) => position !== null).map(toEntry)
      const items = entries.slice(0, limit)
      const last = items.at(-1)
      return {
        items,
        ...(entries.length > limit && last && { nextCursor: String(last.position) }),
        ...(live !== undefined && { live }),
      }
    },

    async generation(reflectionId, generation) {
      const [row] = await run<GenerationRow>(READ_GENERATION, [reflectionId, generation])
      if (!row) return undefined
      const { published_namespaces: publishedNamespaces, payload } = row
      return { generation, publishedNamespaces, ...(payload !== null && { artifacts: payload }) }
    },
  }
}

interface EvidenceRow {
  readonly display_name: string
  readonly creator_name: string | null
  readonly former_names: readonly string[]
  readonly evidence: readonly VoiceEvidence[]
}

const READ_EVIDENCE = {
  name: 'read_promoted_evidence',
  text: 'select display_name, creator_name, former_names, evidence from gate.promoted()',
}

interface GenerationRow {
  readonly published_namespaces: string[]
  readonly payload: unknown
}

interface LedgerRow extends Pick<LedgerEntry, 'position' | 'generation' | 'stage' | 'reasons'> {
  readonly payload_hash: string
  readonly at: Date
  readonly previous_hash: string
  readonly entry_hash: string
  readonly live: number | null
}

const toEntry = (row: LedgerRow): LedgerEntry => ({
  position: row.position,
  generation: row.generation,
  stage: row.stage,
  payloadHash: row.payload_hash,
  reasons: row.reasons,
  at: row.at.toISOString(),
  previousHash: row.previous_hash,
  entryHash: row.entry_hash,
})

// At one moment, so that what serves is among what was promoted; one row without an entry where there is none.
const READ_LEDGER = {
  name: 'read_ledger',
  text: `select v.generation as live, l.position, l.generation, l.stage, l.payload_hash, l.reasons, l.at,
      l.previous_hash, l.entry_hash
    from (select max(generation) as generation from voice_runtime where reflection_id = $1) v
    left join (
      select * from artifact_ledger
      where reflection_id = $1 and ($3::integer is null or position < $3::integer)
      order by position desc limit $2
    ) l on true
    order by l.position desc`,
}

const READ_GENERATION = {
  name: 'read_generation',
  text: `select published_namespaces, payload from voice_artifacts
    where reflection_id = $1 and generation = $2`,
}
