import { createHash } from 'node:crypto'
import { PlatformError, type ReflectionId } from '@parley/contracts'
import { type ArtifactStore, type Build, payloadHashOf } from '@parley/reflections'
import { LOCK_REFLECTION } from '../knowledge/apply-run.ts'
import type { JobQueue } from '../jobs/job-queue.ts'
import { askToRebuild, awaitAskers } from '../knowledge/ask-to-rebuild.ts'
import { lookWithin, type Transact } from '../knowledge/transact.ts'
import type { Run } from '../queries.ts'
import { appendLedger, type Settled, settledAs } from './append-ledger.ts'
import { readArtifactInput } from './read-artifact-input.ts'
import { readPromoted } from './read-promoted.ts'

export interface ArtifactStoreHost {
  readonly run: Run
  readonly transact: Transact
  readonly jobs: JobQueue
}

/** What speaks for reflections, in Postgres, through the login of `parley_learning`. */
export function postgresArtifactStore({ run, transact, jobs }: ArtifactStoreHost): ArtifactStore {
  return {
    async begin(reflectionId) {
      await awaitAskers(transact, reflectionId)
      const [row] = await run<{ generation: number }>(TAKE_GENERATION, [reflectionId])
      const input = row && (await lookWithin(transact, (within) => readArtifactInput(within, reflectionId)))
      return input && { reflectionId, generation: row.generation, input }
    },

    serving: async (reflectionId) => (await readPromoted(run, reflectionId, 'private'))?.artifacts,

    confirm: ({ reflectionId, generation, input }, artifacts) =>
      transact(async (within) => {
        await within(LOCK_REFLECTION, [reflectionId])
        const same = [payloadHashOf(artifacts, sha256), [...input.publishedNamespaces]]
        return (await within(CONFIRM, [reflectionId, generation, ...same])).length > 0
      }),

    addCandidate: (build, artifacts) =>
      transact(async (within) => {
        const { reflectionId, generation, input } = build
        await within(LOCK_REFLECTION, [reflectionId])
        const sourceIds = [...new Set(input.evidence.map(({ sourceId }) => sourceId))]
        const [removed] = await within<{ id: string }>(REMOVED_SOURCES, [sourceIds])
        if (removed) throw sourceRemoved(build)
        const payloadHash = payloadHashOf(artifacts, sha256)
        const payload = JSON.stringify(artifacts)
        await within(ADD, [reflectionId, generation, [...input.publishedNamespaces], payload, payloadHash])
        const kept = await readCandidate(within, build)
        await appendLedger(within, reflectionId, { generation, stage: 'candidate', payloadHash, reasons: [] })
        return kept.payload
      }),

    settle: (build, { verdict, reasons }) =>
      transact(async (within) => {
        const { reflectionId, generation } = build
        await within(LOCK_REFLECTION, [reflectionId])
        const before = await settledAs(within, reflectionId, generation)
        if (before) return before
        const { payload_hash: payloadHash } = await readCandidate(within, build)
        const append = (stage: Settled | 'evaluated', why: readonly string[] = []) =>
          appendLedger(within, reflectionId, { generation, stage, payloadHash, reasons: [...why] })
        await append('evaluated', reasons)
        const stage = verdict === 'approved' ? await promote(within, reflectionId, generation) : 'rejected'
        await append(stage)
        return stage
      }),

    async askForMissing(when) {
      for (const { id } of await run<{ id: ReflectionId }>(MISSING, [when === 'at-start'])) {
        await transact((within) => askToRebuild(jobs, within, id))
      }
    },
  }
}

async function promote(within: Run, reflectionId: ReflectionId, generation: number): Promise<Settled> {
  const [row] = await within(PROMOTE, [reflectionId, generation])
  return row ? 'promoted' : 'outrun'
}

interface CandidateRow {
  readonly payload: unknown
  readonly payload_hash: string
}

async function readCandidate(within: Run, build: Build): Promise<CandidateRow> {
  const [row] = await within<CandidateRow>(READ_CANDIDATE, [build.reflectionId, build.generation])
  if (!row) throw new PlatformError('reflection_not_found', { reflectionId: build.reflectionId })
  if (row.payload === null) throw sourceRemoved(build)
  return row
}

const sourceRemoved = ({ reflectionId, generation }: Build) =>
  new PlatformError('source_not_found', {
    reflectionId,
    message: `A source of generation ${generation} of ${reflectionId} was removed while it was built. The next build leaves it out.`,
  })

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const TAKE_GENERATION = {
  name: 'take_generation',
  text: `insert into voice_builds (reflection_id, generation)
    select id, 1 from reflections where id = $1 and removed_at is null
    on conflict (reflection_id) do update set generation = voice_builds.generation + 1
    returning generation`,
}

// A number that was given out and is not settled belongs to a build that may still be promoted.
const CONFIRM = {
  name: 'confirm_generation',
  text: `with served as (
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
    returning generation`,
}

const MISSING = {
  name: 'reflections_without_artifacts',
  text: `select r.id from reflections r
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
    )) order by r.id`,
}

const REMOVED_SOURCES = {
  name: 'removed_sources',
  text: `select given.id from unnest($1::text[]) as given (id) where not exists (select from sources s where s.id = given.id)`,
}

const ADD = {
  name: 'add_candidate',
  text: `insert into voice_artifacts (reflection_id, generation, published_namespaces, payload, payload_hash)
    select id, $2, $3, $4, $5 from reflections where id = $1 and removed_at is null
    on conflict do nothing`,
}

const READ_CANDIDATE = {
  name: 'read_candidate',
  text: 'select payload, payload_hash from voice_artifacts where reflection_id = $1 and generation = $2',
}

const PROMOTE = {
  name: 'promote_generation',
  text: `insert into voice_runtime (reflection_id, generation) select $1, $2::integer
    where not exists (select from voice_runtime v where v.reflection_id = $1 and v.generation >= $2::integer)
    on conflict (reflection_id) do update set generation = excluded.generation, promoted_at = now()
    returning generation`,
}
