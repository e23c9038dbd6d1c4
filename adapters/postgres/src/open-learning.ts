import type { ReflectionId } from '@parley/contracts'
import {
  type EmbeddingsStore,
  type IngestStore,
  type LearningStore,
  ONE_AT_A_TIME,
  OPPOSITES,
} from '@parley/knowledge'
import type { ArtifactStore } from '@parley/reflections'
import { type HealthLog, postgresHealthLog } from './health/health-log.ts'
import { createJobQueue } from './jobs/queues.ts'
import { applyPatch, rejectPatch, revertPatch, settleRepeats } from './knowledge/apply-patch.ts'
import { LOCK_REFLECTION } from './knowledge/apply-run.ts'
import { correctionPatches } from './knowledge/correction-patch.ts'
import { postgresEmbeddingsStore } from './knowledge/embeddings.ts'
import { postgresIngestStore } from './knowledge/ingest-store.ts'
import { REVIEWED_STATUS } from './knowledge/patches.ts'
import { type StoreHost, requestRebuild } from './knowledge/store-host.ts'
import { asPlatformError } from './login/database-error.ts'
import { connectionConfig, createPool } from './login/guarded-client.ts'
import type { DatabaseOptions } from './open-database.ts'
import { type Run, createRun, createTransact } from './run-statements.ts'
import { postgresArtifactStore } from './voice/artifact-store.ts'
import { statement } from './statement.ts'

/**
 * A person's approval decides what the rules could not: facts that contradict an approved fact end. Of two contradicting
 * facts in the patch the later one counts, else the more confident one. A fact that a newer one contradicts is left out.
 */
async function settleContradictions(within: Run, patchId: string): Promise<void> {
  await within(REJECT_RIVALS, [patchId, ...contradictingPredicates((kind) => kind !== 'mostly')])
  await within(REJECT_OUTDATED, [patchId, ...contradictingPredicates((kind) => kind !== 'fixed')])
  await within(ADD_REPLACEMENTS, [patchId, ...contradictingPredicates(() => true)])
}

/** Pairs of contradicting predicates: one with a single value at a time contradicts itself, others their opposite. */
function contradictingPredicates(
  isIncluded: (kind: 'changing' | 'mostly' | 'fixed') => boolean,
): readonly (readonly string[])[] {
  const alone = [...ONE_AT_A_TIME].flatMap(([predicate, kind]) => (isIncluded(kind) ? [predicate] : []))
  return [
    [...alone, ...OPPOSITES.keys()],
    [...alone, ...OPPOSITES.values()],
  ]
}

/** Pairs from `$2` and `$3`. */
const RIVALS = `unnest($2::text[], $3::text[]) as rival (one, other)`

const CONTRADICTS = `rival.one = said.predicate and known.predicate = rival.other
  and known.namespace_id = said.namespace_id and known.subject_key = said.subject_key
  and case
    when rival.one <> rival.other then known.object_key = said.object_key
    else said.valid_to is null and known.valid_to is null
      and strpos(' ' || said.object_key || ' ', ' ' || known.object_key || ' ') = 0
      and strpos(' ' || known.object_key || ' ', ' ' || said.object_key || ' ') = 0
  end`

const IS_KNOWN = `known.state = 'active' and known.superseded_at is null and known.patch_id <> p.id
  and known.source_id is distinct from p.source_id`

// A fact without a date counts as new as its source.
const REJECT_RIVALS = statement(`
  update facts said set state = 'rejected' where said.patch_id = $1 and said.state = 'candidate' and exists (
    select from ${RIVALS}, facts known where known.patch_id = $1 and known.state = 'candidate' and ${CONTRADICTS}
      and (coalesce(known.valid_from, '9999'), known.confidence, known.ordinal)
        > (coalesce(said.valid_from, '9999'), said.confidence, said.ordinal)
  )`)

// A year does not contradict one of its days.
const REJECT_OUTDATED = statement(`update facts said set state = 'rejected' from patches p
  where p.id = $1 and p.origin = 'ingest' and said.patch_id = p.id and said.state = 'candidate' and exists (
    select from ${RIVALS}, facts known where ${IS_KNOWN} and ${CONTRADICTS}
      and known.valid_from > said.valid_from and not starts_with(known.valid_from, said.valid_from)
  )`)

// Stored with the findings of the rules, to be shown, applied and reverted in the same way.
const ADD_REPLACEMENTS =
  statement(`update patches set evaluation = jsonb_set(evaluation::jsonb, '{supersedes}',
    (evaluation::jsonb -> 'supersedes') || found.pairs)::json
  from (
    select jsonb_agg(jsonb_build_object('factId', known.id, 'by', said.id) order by said.ordinal, known.id) as pairs
    from patches p
    join facts said on said.patch_id = p.id and said.state = 'candidate'
    join ${RIVALS} on rival.one = said.predicate
    join facts known on ${IS_KNOWN} and ${CONTRADICTS}
    where p.id = $1 and known.id not in (
      select s ->> 'factId'
      from json_array_elements((select evaluation -> 'supersedes' from patches where id = $1)) s
    )
  ) as found
  where id = $1 and found.pairs is not null`)

/** The stores of background jobs, through the login of `parley_learning`. */
export interface Learning {
  readonly ingest: IngestStore
  readonly learning: LearningStore
  readonly artifacts: ArtifactStore
  readonly embeddings: EmbeddingsStore
  readonly health: HealthLog
  close(): Promise<void>
}

/** The database must have been migrated. */
export function openLearning({ databaseUrl, onError = () => {} }: DatabaseOptions): Learning {
  const config = connectionConfig(databaseUrl, 'parley_learning', 'parley-learning')
  const pool = createPool({ ...config, max: 8, idleTimeoutMillis: 60_000 }, (error) =>
    onError(asPlatformError(error, databaseUrl)),
  )
  const run = createRun(pool, databaseUrl)
  const host = { run, transact: createTransact(pool, databaseUrl), jobs: createJobQueue(run) }
  return {
    ingest: postgresIngestStore(host),
    learning: postgresLearningStore(host),
    artifacts: postgresArtifactStore(host),
    embeddings: postgresEmbeddingsStore(host),
    health: postgresHealthLog(host),
    close: () => pool.end(),
  }
}

/** Jobs other than ingest, through the login of `parley_learning`. */
function postgresLearningStore(host: StoreHost): LearningStore {
  const { run, transact, jobs } = host
  return {
    ...correctionPatches(host),

    applyReview: (patchId, decision, by) =>
      transact(async (within) => {
        const [owner] = await within<ReflectionRow>(REFLECTION_OF_PATCH, [patchId])
        if (!owner) return
        await within(LOCK_REFLECTION, [owner.reflection_id])
        const [patch] = await within<{ status: string }>(LOCK_PATCH, [patchId])
        // Requested twice, or another person was faster.
        if (patch?.status !== REVIEWED_STATUS[decision]) return
        await DECISIONS[decision](within, patchId, by)
        await settleRepeats(within, owner.reflection_id)
        await requestRebuild(jobs, within, owner.reflection_id)
      }),

    eraseSource: (sourceId) =>
      transact(async (within) => {
        const [owner] = await within<ReflectionRow>(REFLECTION_OF_SOURCE, [sourceId])
        await within(ERASE_SOURCE, [sourceId])
        if (!owner) return
        await settleRepeats(within, owner.reflection_id)
        await requestRebuild(jobs, within, owner.reflection_id)
      }),

    async eraseReflection(reflectionId) {
      await run(ERASE_REFLECTION, [reflectionId])
    },
  }
}

interface ReflectionRow {
  readonly reflection_id: ReflectionId
}

const DECISIONS: Record<
  keyof typeof REVIEWED_STATUS,
  (within: Run, patchId: string, by: string) => Promise<void>
> = {
  async approve(within, patchId, by) {
    await settleContradictions(within, patchId)
    await applyPatch(within, patchId, by)
  },
  reject: rejectPatch,
  revert: revertPatch,
}

const REFLECTION_OF_PATCH = statement('select reflection_id from patches where id = $1')

const REFLECTION_OF_SOURCE = statement('select reflection_id from sources where id = $1')

const LOCK_PATCH = statement('select status from patches where id = $1 for update')

const ERASE_SOURCE = statement('select erase_source($1)')

const ERASE_REFLECTION = statement('select erase_reflection($1)')
