import {
  type Audience,
  type LedgerEntry,
  type PreviewPublish,
  type PublishPreview,
  type ReflectionId,
} from '@parley/contracts'
import {
  type PromotedArtifacts,
  type PublicPreview,
  type ArtifactReader,
  previewPublicContent,
} from '@parley/reflections'
import { IS_KNOWN } from '../knowledge/facts.ts'
import { ALL_SOURCES, IS_SEARCHABLE } from '../knowledge/sources.ts'
import type { MembersHost } from '../knowledge/store-host.ts'
import { type Run, readSnapshot } from '../run-statements.ts'
import { readArtifactInput } from './read-artifact-input.ts'
import { parseNumberPage, toPage } from '../pages.ts'
import { type RowOf, findRecord, listRecords, toRecord } from '../records.ts'
import { computeSha256Hex } from '../hashes.ts'
import { statement } from '../statement.ts'

/** Reads artifacts and their ledger, through the login of `parley_serving`. */
export function postgresArtifactReader({
  run,
  transact,
  transactMember,
}: Pick<MembersHost, 'run' | 'transact' | 'transactMember'>): ArtifactReader {
  return {
    previewPublish: (reflectionId, change) =>
      readSnapshot(transact, (execute) => readPublicPreview(execute, reflectionId, change)),

    readPromoted: (reflectionId, audience = 'public', signal) =>
      readPromoted(run, reflectionId, audience, signal),

    readPromotedEvidence: (capability) =>
      transactMember(capability)((execute) => findRecord(execute(READ_EVIDENCE))),

    async readLedger(reflectionId, page) {
      const rows = await run<LedgerRow>(READ_LEDGER, [
        reflectionId,
        ...parseNumberPage(page, POSITION_DIGITS),
      ])
      const [first] = rows
      const entries = rows.filter(({ position }) => position !== null)
      return {
        ...toPage(page, entries, toLedgerEntry, ({ position }) => String(position)),
        ...(typeof first?.live === 'number' && { live: first.live }),
      }
    },

    readGeneration: (reflectionId, generation) =>
      findRecord(run(READ_GENERATION, [reflectionId, generation])),
  }
}

/** Fits into an integer. */
const POSITION_DIGITS = 9

const READ_EVIDENCE = statement(
  'select display_name, creator_name, former_names, evidence from gate.promoted()',
)

type LedgerRow = RowOf<LedgerEntry> & { readonly live: number | null }

const toLedgerEntry = ({ live: _live, ...row }: LedgerRow) => toRecord<LedgerEntry>(row)

// One statement, so that the live generation is among the entries; one row without an entry if there are none.
const READ_LEDGER = statement(`
  select v.generation as live, l.position, l.generation, l.stage, l.payload_hash, l.reasons, l.at,
    l.previous_hash, l.entry_hash
  from (select max(generation) as generation from voice_runtime where reflection_id = $1) v
  left join (
    select * from artifact_ledger
    where reflection_id = $1 and ($3::integer is null or position < $3::integer)
    order by position desc limit $2
  ) l on true
  order by l.position desc`)

const READ_GENERATION = statement(`
  select generation, published_namespaces, payload as artifacts from voice_artifacts
  where reflection_id = $1 and generation = $2`)

/** The promoted artifacts that an audience may see, with the rights of the caller. */
export async function readPromoted(
  run: Run,
  reflectionId: ReflectionId,
  audience: Audience,
  signal?: AbortSignal,
): Promise<PromotedArtifacts | undefined> {
  // The artifacts were validated before promotion.
  const [promoted] = await run<PromotedArtifacts>(READ_PROMOTED, [reflectionId, VISIBLE_TO[audience]], signal)
  return promoted
}

/** The values of `told_to`. */
const VISIBLE_TO: Readonly<Record<Audience, readonly string[]>> = {
  private: ['all', 'members'],
  public: ['all'],
}

const READ_PROMOTED = statement(`select a.generation, a.payload as artifacts from voice_runtime v
  join voice_artifacts a on a.reflection_id = v.reflection_id and a.generation = v.generation
  join reflections r on r.id = v.reflection_id and r.removed_at is null
  where v.reflection_id = $1 and told_to(v.reflection_id, a.payload) = any($2::text[]) and a.payload is not null`)

/** A preview of publishing or unpublishing namespaces, read by the transaction of `execute`. */
export async function readPublicPreview(
  execute: Run,
  reflectionId: ReflectionId,
  { namespaces, publish }: PreviewPublish,
): Promise<PublicPreview | undefined> {
  const before = await readArtifactInput(execute, reflectionId)
  if (!before) return undefined
  const isPublic = (name: string) => before.publishedNamespaces.includes(name)
  const published = before.namespaces.filter((name) => (namespaces.includes(name) ? publish : isPublic(name)))
  const changed = namespaces.filter((name) => isPublic(name) !== publish)
  const after = await readArtifactInput(execute, reflectionId, published)
  const sources = await listRecords<PreviewedSource>(execute(READ_SOURCES, [reflectionId, changed]))
  const facts = await findRecord<{ count: number; idsHash: string }>(
    execute(READ_FACTS, [reflectionId, changed]),
  )
  if (!after || !facts) return undefined
  return previewPublicContent({ before, after, sources, facts }, computeSha256Hex)
}

type PreviewedSource = PublishPreview['sources'][number]

const READ_SOURCES = statement(`select id, title, content_hash from (${ALL_SOURCES}) as s
  where namespace = any($2::text[]) and ${IS_SEARCHABLE}
  order by created_at desc, id desc`)

const READ_FACTS = statement(`select count(*)::int as count,
    encode(sha256(convert_to(coalesce(string_agg(f.id, ' ' order by f.id), ''), 'UTF8')), 'hex') as ids_hash
  from facts f join namespaces n on n.id = f.namespace_id
  where f.reflection_id = $1 and n.name = any($2::text[]) and ${IS_KNOWN}`)
