import { type LedgerEntry, type LedgerStage, PlatformError, type ReflectionId } from '@parley/contracts'
import {
  type ArtifactStore,
  type ArtifactBuild,
  type LedgerDecision,
  createLedgerEntry,
  hashPayload,
} from '@parley/reflections'
import { LOCK_KNOWLEDGE } from '../knowledge/apply-run.ts'
import { type StoreHost, requestRebuild, awaitRebuildRequests } from '../knowledge/store-host.ts'
import { type Run, readSnapshot, hasRows } from '../run-statements.ts'
import { readPromoted } from './artifact-reader.ts'
import { readArtifactInput } from './read-artifact-input.ts'
import { computeSha256Hex } from '../hashes.ts'
import { statement } from '../statement.ts'

/** Builds, judges and promotes artifacts, through the login of `parley_learning`. */
export function postgresArtifactStore({ run, transact, jobs }: StoreHost): ArtifactStore {
  return {
    async begin(reflectionId) {
      await awaitRebuildRequests(transact, reflectionId)
      const [row] = await run<{ generation: number }>(TAKE_GENERATION, [reflectionId])
      const input =
        row && (await readSnapshot(transact, (execute) => readArtifactInput(execute, reflectionId)))
      return input && { reflectionId, generation: row.generation, input }
    },

    findPromoted: async (reflectionId) => (await readPromoted(run, reflectionId, 'private'))?.artifacts,

    confirm: ({ reflectionId, generation, input }, artifacts) =>
      transact(async (execute) => {
        await execute(LOCK_KNOWLEDGE, [reflectionId])
        const same = [hashPayload(artifacts, computeSha256Hex), [...input.publishedNamespaces]]
        return hasRows(execute(CONFIRM, [reflectionId, generation, ...same]))
      }),

    addCandidate: (build, artifacts) =>
      transact(async (execute) => {
        const { reflectionId, generation, input } = build
        await execute(LOCK_KNOWLEDGE, [reflectionId])
        const sourceIds = [...new Set(input.evidence.map(({ sourceId }) => sourceId))]
        const [removed] = await execute<{ id: string }>(REMOVED_SOURCES, [sourceIds])
        if (removed) throw createSourceRemovedError(build)
        const payloadHash = hashPayload(artifacts, computeSha256Hex)
        const payload = JSON.stringify(artifacts)
        await execute(ADD_CANDIDATE, [
          reflectionId,
          generation,
          [...input.publishedNamespaces],
          payload,
          payloadHash,
        ])
        const candidate = await readCandidate(execute, build)
        await appendLedger(execute, reflectionId, {
          generation,
          stage: 'candidate',
          payloadHash,
          reasons: [],
        })
        return candidate.payload
      }),

    finish: (build, { verdict, reasons }) =>
      transact(async (execute) => {
        const { reflectionId, generation } = build
        await execute(LOCK_KNOWLEDGE, [reflectionId])
        const before = await findFinalStage(execute, reflectionId, generation)
        if (before) return before
        const { payload_hash: payloadHash } = await readCandidate(execute, build)
        const append = (stage: FinalStage | 'evaluated', why: readonly string[] = []) =>
          appendLedger(execute, reflectionId, { generation, stage, payloadHash, reasons: [...why] })
        await append('evaluated', reasons)
        const stage =
          verdict === 'approved' ? await promoteGeneration(execute, reflectionId, generation) : 'rejected'
        await append(stage)
        return stage
      }),

    async requestMissingBuilds(when) {
      for (const { id } of await run<{ id: ReflectionId }>(FIND_MISSING_BUILDS, [when === 'at-start'])) {
        await transact((execute) => requestRebuild(jobs, execute, id))
      }
    },
  }
}

async function promoteGeneration(
  execute: Run,
  reflectionId: ReflectionId,
  generation: number,
): Promise<FinalStage> {
  const [row] = await execute(PROMOTE, [reflectionId, generation])
  return row ? 'promoted' : 'outrun'
}

interface CandidateRow {
  readonly payload: unknown
  readonly payload_hash: string
}

async function readCandidate(execute: Run, build: ArtifactBuild): Promise<CandidateRow> {
  const [row] = await execute<CandidateRow>(READ_CANDIDATE, [build.reflectionId, build.generation])
  if (!row) throw new PlatformError('reflection_not_found', { reflectionId: build.reflectionId })
  if (row.payload === null) throw createSourceRemovedError(build)
  return row
}

const createSourceRemovedError = ({ reflectionId, generation }: ArtifactBuild) =>
  new PlatformError('source_not_found', {
    reflectionId,
    message: `A source of generation ${generation} of ${reflectionId} was removed while it was built. The next build leaves it out.`,
  })

const TAKE_GENERATION = statement(`insert into voice_builds (reflection_id, generation)
  select id, 1 from reflections where id = $1 and removed_at is null
  on conflict (reflection_id) do update set generation = voice_builds.generation + 1
  returning generation`)

// A number without a final stage belongs to a build that may still be promoted.
const CONFIRM = statement(`with served as (
    select a.generation, greatest(a.generation, coalesce(c.generation, 0)) as over
    from voice_runtime v
    join voice_artifacts a on a.reflection_id = v.reflection_id and a.generation = v.generation
    left join voice_confirmed c on c.reflection_id = v.reflection_id
    where v.reflection_id = $1 and a.payload is not null and a.payload_hash = $3 and a.published_namespaces = $4::text[]
  )
  insert into voice_confirmed (reflection_id, generation)
  select $1, $2::integer from served
  where over < $2::integer and $2::integer - over - 1 = (
    select count(distinct l.generation) from artifact_ledger l
    where l.reflection_id = $1 and l.generation > over and l.generation < $2::integer
      and l.stage in ('promoted', 'rejected', 'outrun')
  )
  on conflict (reflection_id) do update set generation = excluded.generation
  returning generation`)

const FIND_MISSING_BUILDS = statement(`select r.id from reflections r
  left join lateral (
    select j.state::text from pgboss.job j where j.name = 'rebuild-voice' and j.singleton_key = r.id
    order by j.created_on desc limit 1
  ) last_build on true
  where r.removed_at is null and (last_build.state = 'failed' or ($1 or last_build.state is null) and not exists (
    select from voice_runtime v
    join voice_artifacts a on a.reflection_id = v.reflection_id and a.generation = v.generation
    where v.reflection_id = r.id and a.payload is not null
      and array(select unnest(a.published_namespaces) order by 1) = array(
        select n.name from namespaces n where n.reflection_id = r.id and n.is_published order by 1)
  )) order by r.id`)

const REMOVED_SOURCES = statement(`
  select given.id from unnest($1::text[]) as given (id) where not exists (select from sources s where s.id = given.id)`)

const ADD_CANDIDATE = statement(`
  insert into voice_artifacts (reflection_id, generation, published_namespaces, payload, payload_hash)
  select id, $2, $3, $4, $5 from reflections where id = $1 and removed_at is null
  on conflict do nothing`)

const READ_CANDIDATE = statement(
  'select payload, payload_hash from voice_artifacts where reflection_id = $1 and generation = $2',
)

const PROMOTE = statement(`insert into voice_runtime (reflection_id, generation) select $1, $2::integer
  where not exists (select from voice_runtime v where v.reflection_id = $1 and v.generation >= $2::integer)
  on conflict (reflection_id) do update set generation = excluded.generation, promoted_at = now()
  returning generation`)

/** The final stages of a generation. */
type FinalStage = Extract<LedgerStage, 'promoted' | 'rejected' | 'outrun'>

/** Adds an entry to the chain unless it exists. The caller holds the reflection's lock. */
async function appendLedger(
  execute: Run,
  reflectionId: string,
  fact: Omit<LedgerDecision, 'at'>,
): Promise<void> {
  const [known] = await execute(FIND_ENTRY, [reflectionId, fact.generation, fact.stage])
  if (known) return
  const [last] = await execute<{ position: number; entry_hash: string }>(READ_LAST_ENTRY, [reflectionId])
  const [clock] = await execute<{ at: string }>(READ_TIME)
  const previous = last && { position: last.position, entryHash: last.entry_hash }
  const entry = createLedgerEntry(reflectionId, previous, { ...fact, at: clock?.at ?? '' }, computeSha256Hex)
  await execute(APPEND, [reflectionId, ...toLedgerColumns(entry)])
}

/** The final stage of the generation, if it has one. */
async function findFinalStage(
  execute: Run,
  reflectionId: string,
  generation: number,
): Promise<FinalStage | undefined> {
  const [row] = await execute<{ stage: FinalStage }>(FIND_FINAL_STAGE, [reflectionId, generation])
  return row?.stage
}

const toLedgerColumns = (entry: LedgerEntry): readonly unknown[] => [
  entry.position,
  entry.generation,
  entry.stage,
  entry.payloadHash,
  JSON.stringify(entry.reasons),
  entry.at,
  entry.previousHash,
  entry.entryHash,
]

const FIND_ENTRY = statement(
  'select position from artifact_ledger where reflection_id = $1 and generation = $2 and stage = $3',
)

const FIND_FINAL_STAGE = statement(`select stage from artifact_ledger
  where reflection_id = $1 and generation = $2 and stage in ('promoted', 'rejected', 'outrun')`)

const READ_LAST_ENTRY = statement(`select position, entry_hash from artifact_ledger where reflection_id = $1
  order by position desc limit 1`)

// Not the start of the transaction, which may have waited for the lock.
const READ_TIME = statement('select said_at(clock_timestamp()) as at')

const APPEND = statement(`insert into artifact_ledger
    (reflection_id, position, generation, stage, payload_hash, reasons, at, previous_hash, entry_hash)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`)
