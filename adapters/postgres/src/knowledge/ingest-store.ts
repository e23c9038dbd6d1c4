import { type Finding, PlatformError } from '@parley/contracts'
import type {
  ActiveFact,
  Evaluation,
  ExtractedText,
  IngestRun,
  IngestStore,
  NewFact,
  OriginalFile,
  Segment,
} from '@parley/knowledge'
import { findRecord, listRecords } from '../records.ts'
import { type Run, ignoreRows } from '../run-statements.ts'
import { applyRun } from './apply-run.ts'
import {
  type CandidateRow,
  toCandidateColumns,
  toChunkColumns,
  getEpoch,
  toCandidateFact,
  toStorable,
  toStorableJson,
} from './ingest-rows.ts'
import { statement } from '../statement.ts'
import { openRun } from './open-run.ts'
import { type StoreHost, requestRebuild, createId } from './store-host.ts'

const ROWS_AT_ONCE = 500
const SEGMENTS_AT_ONCE = 1_000

/** The store of ingest runs, through the login of `parley_learning`. */
export function postgresIngestStore({ run, transact, jobs }: StoreHost): IngestStore {
  /** Only the last opener may write: a worker that was considered dead fails here. */
  const writeToOpenRun = <Outcome>(
    ingest: IngestRun,
    work: (execute: Run) => Promise<Outcome>,
  ): Promise<Outcome> =>
    transact(async (execute) => {
      const [row] = await execute(LOCK_OPEN_RUN, [ingest.id, getEpoch(ingest)])
      if (!row) throw createNotOpenError(ingest.id)
      return work(execute)
    })

  return {
    openRun: (sourceId) => transact((execute) => openRun(execute, sourceId)),

    readOriginal: ({ id }) => readOriginal(run, id),

    saveText: (ingest, text) => writeToOpenRun(ingest, (execute) => saveText(execute, ingest, text)),
    readText: ({ id }) => readText(run, id),

    saveChunks: (ingest, chunks) =>
      writeToOpenRun(ingest, async (execute) => {
        await execute(CLEAR_CHUNKS, [ingest.id])
        for (const part of splitInParts(chunks, ROWS_AT_ONCE)) {
          await execute(SAVE_CHUNKS, [ingest.id, ...toChunkColumns(part)])
        }
      }),
    readChunks: ({ id }, after, limit) => run(READ_CHUNKS, [id, after, limit]),

    savePatch: (ingest, facts, notes = []) =>
      writeToOpenRun(ingest, (execute) => savePatch(execute, ingest, facts, notes)),
    async readPatch({ id }) {
      const rows = await run<CandidateRow>(READ_PATCH, [id])
      const [first] = rows
      return first && { id: first.patch_id, facts: rows.map(toCandidateFact), notes: first.notes }
    },

    readActiveFacts: ({ id }, subjectKeys) => readActiveFacts(run, id, subjectKeys),

    saveEvaluation: (ingest, evaluation) =>
      writeToOpenRun(ingest, async (execute) => {
        await execute(SAVE_RUN_EVALUATION, [ingest.id, JSON.stringify(evaluation)])
        await execute(SAVE_PATCH_EVALUATION, [ingest.id, JSON.stringify(evaluation)])
      }),
    async readEvaluation({ id }) {
      const [row] = await run<{ evaluation: Evaluation | null }>(READ_EVALUATION, [id])
      return row?.evaluation ?? undefined
    },

    apply: (ingest, outcome) =>
      transact(async (execute) => {
        const applied = await applyRun(execute, ingest, outcome)
        if (applied === 'applied') await requestRebuild(jobs, execute, ingest.reflectionId)
        return applied
      }),

    fail: (ingest, problem) => ignoreRows(run(FAIL, [ingest.id, getEpoch(ingest), toStorable(problem)])),

    async recordPhase(ingest, phase, progress) {
      if (progress === 'done') await run(RECORD_PHASE_DONE, [ingest.id, getEpoch(ingest), phase])
      else
        await run(RECORD_PHASE_PROGRESS, [ingest.id, getEpoch(ingest), phase, progress.done, progress.total])
    },
  }
}

async function readOriginal(run: Run, runId: string): Promise<OriginalFile> {
  const original = await findRecord<OriginalFile>(run(READ_ORIGINAL, [runId]))
  if (original) return original
  throw createNotOpenError(runId)
}

async function saveText(
  execute: Run,
  { id, reflectionId }: IngestRun,
  { mediaType, title, segments }: ExtractedText,
): Promise<void> {
  await execute(CLEAR_TEXT, [id])
  await execute(RECORD_TEXT, [id, mediaType, title])
  for (const [ordinal, part] of splitInParts(segments, SEGMENTS_AT_ONCE).entries()) {
    await execute(SAVE_TEXT, [id, reflectionId, ordinal, JSON.stringify(part)])
  }
}

async function readText(run: Run, runId: string): ReturnType<IngestStore['readText']> {
  const text = await findRecord<Omit<ExtractedText, 'segments'>>(run(READ_TEXT_OF, [runId]))
  if (!text) throw createNotOpenError(runId)
  const parts = await run<{ segments: readonly Segment[] }>(READ_SEGMENTS, [runId])
  return { ...text, segments: parts.flatMap(({ segments }) => segments) }
}

async function savePatch(
  execute: Run,
  { id, sourceId }: IngestRun,
  facts: readonly NewFact[],
  notes: readonly Finding[],
): Promise<void> {
  await execute(DISCARD_PATCH, [id])
  await execute(SAVE_RUN_EVALUATION, [id, null])
  if (facts.length === 0) return
  const patchId = createId('pat_')
  await execute(CREATE_PATCH, [patchId, id, toStorableJson(notes)])
  for (const part of splitInParts(numberFacts(facts), ROWS_AT_ONCE)) {
    await execute(SAVE_FACTS, [patchId, ...toCandidateColumns(sourceId, part)])
  }
}

async function readActiveFacts(
  run: Run,
  runId: string,
  subjectKeys: readonly string[],
): ReturnType<IngestStore['readActiveFacts']> {
  // First, so that a patch applied in between makes the evaluation stale.
  const [row] = await run<{ revision: number }>(READ_REVISION, [runId])
  const facts = await listRecords<ActiveFact>(run(ACTIVE_FACTS, [runId, [...subjectKeys]]))
  const corrected = await listRecords<ActiveFact>(run(CORRECTED_FACTS, [runId, [...subjectKeys]]))
  return { facts, corrected, revision: row?.revision ?? 0 }
}

const createNotOpenError = (runId: string) =>
  new PlatformError('internal', {
    message: `The run ${runId} is no longer open: another worker has it, it has ended, or its source was removed.`,
  })

const numberFacts = (facts: readonly NewFact[]) =>
  facts.map((fact, ordinal) => [ordinal, { ...fact, id: createId('fct_') }] as const)

function splitInParts<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}

const LOCK_OPEN_RUN = statement(`
  select id from ingest_runs where id = $1 and epoch = $2 and outcome is null and erased_at is null
  for update`)

const READ_ORIGINAL = statement(`select o.bytes, i.media_type, i.file_name from ingest_runs u
  join intake i on i.id = u.intake_id
  join originals o on o.reflection_id = u.reflection_id and o.sha256 = u.content_hash
  where u.id = $1`)

const CLEAR_TEXT = statement('delete from ingest_texts where run_id = $1')

const RECORD_TEXT = statement('update ingest_runs set text_media_type = $2, text_title = $3 where id = $1')

const SAVE_TEXT = statement(
  'insert into ingest_texts (run_id, reflection_id, ordinal, segments) values ($1, $2, $3, $4)',
)

const READ_TEXT_OF = statement(`
  select text_media_type as media_type, text_title as title from ingest_runs
  where id = $1 and text_media_type is not null`)

const READ_SEGMENTS = statement('select segments from ingest_texts where run_id = $1 order by ordinal')

const CLEAR_CHUNKS = statement('delete from chunks where run_id = $1')

const SAVE_CHUNKS = statement(`
  insert into chunks (run_id, reflection_id, namespace_id, source_id, ordinal, text, place)
  select u.id, u.reflection_id, u.namespace_id, u.source_id, given.ordinal, given.text, given.place
  from ingest_runs u, unnest($2::int[], $3::text[], $4::json[]) as given (ordinal, text, place)
  where u.id = $1`)

const READ_CHUNKS = statement(`
  select ordinal, text, place from chunks where run_id = $1 and ordinal > $2 order by ordinal limit $3`)

const DISCARD_PATCH = statement('select discard_patch($1)')

const CREATE_PATCH = statement(`
  insert into patches (id, reflection_id, origin, source_id, run_id, notes)
  select $1, reflection_id, 'ingest', source_id, id, $3 from ingest_runs where id = $2`)

const SAVE_FACTS = statement(`
  insert into facts (patch_id, reflection_id, namespace_id, source_id, id, ordinal, subject, subject_key,
    predicate, object, object_key, statement, confidence, evidence, valid_from, valid_to)
  select p.id, p.reflection_id, u.namespace_id, p.source_id, given.*
  from patches p join ingest_runs u on u.id = p.run_id,
    unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::float8[], $11::json[], $12::text[], $13::text[]) as given
  where p.id = $1`)

const READ_PATCH = statement(`
  select f.patch_id, p.notes, f.id, f.subject, f.subject_key, f.predicate, f.object, f.object_key, f.statement,
    f.confidence, f.evidence, f.valid_from, f.valid_to
  from patches p join facts f on f.patch_id = p.id where p.run_id = $1 order by f.ordinal`)

// Without facts of the same source, which end when the run is applied, and of other namespaces, so that public facts
// never depend on private ones. Repetitions in other sources count, since they become active when this source's facts
// end.
const ACTIVE_FACTS = statement(`
  select f.id, f.subject, f.subject_key, f.predicate, f.object, f.object_key, f.statement, f.valid_from,
    nullif(p.origin = 'correction', false) as is_correction
  from ingest_runs u join facts f on f.namespace_id = u.namespace_id join patches p on p.id = f.patch_id
  where u.id = $1 and f.reflection_id = u.reflection_id and f.subject_key = any($2::text[])
    and f.superseded_at is null and f.source_id is distinct from u.source_id
    and (f.state = 'active' or exists (
      select from facts said where said.id = f.repeats_fact_id and said.source_id = u.source_id
    ))
  order by f.created_at, f.id`)

const CORRECTED_FACTS = statement(`
  select f.id, f.subject, f.subject_key, f.predicate, f.object, f.object_key, f.statement, f.valid_from
  from ingest_runs u join facts f on f.namespace_id = u.namespace_id
  join patches p on p.id = f.superseded_by_patch and p.origin = 'correction' and p.status = 'applied'
  where u.id = $1 and f.reflection_id = u.reflection_id and f.subject_key = any($2::text[])`)

const READ_REVISION = statement(`
  select coalesce(max(p.revision), 0)::float8 as revision from ingest_runs u
  left join patches p on p.reflection_id = u.reflection_id where u.id = $1`)

const SAVE_RUN_EVALUATION = statement('update ingest_runs set evaluation = $2 where id = $1')

const SAVE_PATCH_EVALUATION = statement('update patches set evaluation = $2 where run_id = $1')

const READ_EVALUATION = statement('select evaluation from ingest_runs where id = $1')

const FAIL = statement(`update ingest_runs set outcome = 'failed', problem = $3, ended_at = now()
  where id = $1 and epoch = $2 and outcome is null`)

const RECORD_PHASE_DONE = statement(`
  update ingest_runs set done = case when $3 = any(done) then done else done || $3::text end,
    phase = $3, phase_done = null, phase_total = null
  where id = $1 and epoch = $2 and outcome is null`)

const RECORD_PHASE_PROGRESS = statement(`update ingest_runs set phase = $3, phase_done = $4, phase_total = $5
  where id = $1 and epoch = $2 and outcome is null`)
