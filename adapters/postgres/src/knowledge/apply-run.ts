import { type IngestOutcome, PlatformError } from '@parley/contracts'
import type { Evaluation, IngestRun } from '@parley/knowledge'
import type { Run } from '../run-statements.ts'
import { applyPatch, rejectPatch, resolveRepeats } from './apply-patch.ts'
import { getEpoch } from './ingest-rows.ts'
import { statement } from '../statement.ts'

/** In one transaction: the run's chunks replace the source's earlier ones, and its patch is decided. */
export async function applyRun(
  execute: Run,
  ingest: IngestRun,
  outcome: Extract<IngestOutcome, 'completed' | 'eval_rejected'>,
): Promise<'applied' | 'stale'> {
  const { id, reflectionId, sourceId } = ingest
  await execute(LOCK_KNOWLEDGE, [reflectionId])
  const [run] = await execute<{ outcome: IngestOutcome | null; epoch: number }>(LOCK_RUN, [id])
  if (run?.outcome === outcome) return 'applied'
  if (!run || run.outcome !== null || run.epoch !== getEpoch(ingest)) throw createEndedError(id)
  if (await isStale(execute, id)) return 'stale'

  await execute(RETIRE_CHUNKS, [sourceId])
  await execute(PLACE_CHUNKS, [id])
  await execute(UPDATE_SOURCE, [id])
  for (const { id: earlier } of await execute<PatchRow>(EARLIER_PROPOSALS, [id])) {
    await rejectPatch(execute, earlier, BY_RULE)
  }
  await decidePatch(execute, id, outcome)
  await resolveRepeats(execute, reflectionId)
  await execute(END_RUN, [id, outcome])
  return 'applied'
}

/** Whether a patch was applied or reverted since the run's patch was evaluated. */
async function isStale(execute: Run, runId: string): Promise<boolean> {
  const [row] = await execute<{ is_stale: boolean | null }>(IS_STALE, [runId])
  return row?.is_stale === true
}

/** Decided by the rules, not by a person. */
const BY_RULE = 'rule'

async function decidePatch(execute: Run, runId: string, outcome: IngestOutcome): Promise<void> {
  const [patch] = await execute<PatchRow>(PATCH_OF_RUN, [runId])
  if (!patch) {
    // A version without facts ends the facts of the earlier versions.
    if (outcome === 'completed') await execute(END_EARLIER_FACTS, [runId])
    return
  }
  const verdict = patch.evaluation?.verdict
  if (outcome === 'eval_rejected' || verdict === 'reject') return rejectPatch(execute, patch.id, BY_RULE)
  await execute(REJECT_FACTS, [patch.id, [...(patch.evaluation?.rejected ?? [])]])
  if (verdict === 'approve') await applyPatch(execute, patch.id, BY_RULE)
}

interface PatchRow {
  readonly id: string
  readonly evaluation: Evaluation | null
}

const createEndedError = (runId: string) =>
  new PlatformError('internal', {
    message: `The run ${runId} cannot be applied: another worker has it, it has ended, or its source was removed.`,
  })

// Two runs of one reflection wait for each other.
export const LOCK_KNOWLEDGE = statement('select pg_advisory_xact_lock(hashtextextended($1, 0))')

const LOCK_RUN = statement(
  'select outcome, epoch from ingest_runs where id = $1 and erased_at is null for update',
)

const IS_STALE = statement(`select (p.evaluation ->> 'against')::bigint <
    (select coalesce(max(revision), 0) from patches known where known.reflection_id = p.reflection_id) as is_stale
  from patches p where p.run_id = $1`)

const RETIRE_CHUNKS = statement('select retire_chunks($1)')
const PLACE_CHUNKS = statement('select place_chunks($1)')

const UPDATE_SOURCE = statement(`
  update sources set namespace_id = u.namespace_id, title = u.title, current_run_id = u.id from ingest_runs u
  where u.id = $1 and sources.id = u.source_id`)

const EARLIER_PROPOSALS = statement(`select p.id from ingest_runs u
  join ingest_runs earlier
    on earlier.source_id = u.source_id and earlier.id <> u.id and earlier.outcome is not null
  join patches p on p.run_id = earlier.id and p.status = 'proposed'
  where u.id = $1`)

const PATCH_OF_RUN = statement('select id, evaluation from patches where run_id = $1 for update')

const END_EARLIER_FACTS = statement(`update facts set superseded_at = now() from ingest_runs u
  where u.id = $1 and facts.source_id = u.source_id and facts.superseded_at is null
    and (facts.state = 'active' or facts.repeats_fact_id is not null)`)

const REJECT_FACTS = statement(`
  update facts set state = 'rejected' where patch_id = $1 and id = any($2::text[]) and state = 'candidate'`)

const END_RUN = statement(`
  update ingest_runs set outcome = $2, ended_at = now(), phase = 'apply', phase_done = null,
    phase_total = null, done = case when 'apply' = any(done) then done else done || 'apply'::text end
  where id = $1`)
