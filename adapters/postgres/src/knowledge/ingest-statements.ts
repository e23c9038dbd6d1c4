import type { Segment } from '@parley/knowledge'
import { statement } from '../statement.ts'

export interface TextRow {
  readonly text_media_type: string | null
  readonly text_title: string | null
}

export interface SegmentsRow {
  readonly segments: readonly Segment[]
}

export const LOCK_OPEN_RUN = statement(`
  select id from ingest_runs where id = $1 and epoch = $2 and outcome is null and erased_at is null
  for update`)

export const READ_ORIGINAL = statement(`select o.bytes, i.media_type, i.file_name from ingest_runs u
  join intake i on i.id = u.intake_id
  join originals o on o.reflection_id = u.reflection_id and o.sha256 = u.content_hash
  where u.id = $1`)

export const CLEAR_TEXT = statement('delete from ingest_texts where run_id = $1')

export const NOTE_TEXT = statement('update ingest_runs set text_media_type = $2, text_title = $3 where id = $1')

export const SAVE_TEXT = statement('insert into ingest_texts (run_id, reflection_id, ordinal, segments) values ($1, $2, $3, $4)')

export const READ_TEXT_OF = statement('select text_media_type, text_title from ingest_runs where id = $1')

export const READ_SEGMENTS = statement('select segments from ingest_texts where run_id = $1 order by ordinal')

export const CLEAR_CHUNKS = statement('delete from chunks where run_id = $1')

export const SAVE_CHUNKS = statement(`
  insert into chunks (run_id, reflection_id, namespace_id, source_id, ordinal, text, place)
  select u.id, u.reflection_id, u.namespace_id, u.source_id, given.ordinal, given.text, given.place
  from ingest_runs u, unnest($2::int[], $3::text[], $4::json[]) as given (ordinal, text, place)
  where u.id = $1`)

export const READ_CHUNKS = statement(`
  select ordinal, text, place from chunks where run_id = $1 and ordinal > $2 order by ordinal limit $3`)

export const DISCARD_PATCH = statement('select discard_patch($1)')

export const CREATE_PATCH = statement(`
  insert into patches (id, reflection_id, origin, source_id, run_id, notes)
  select $1, reflection_id, 'ingest', source_id, id, $3 from ingest_runs where id = $2`)

export const SAVE_FACTS = statement(`
  insert into facts (patch_id, reflection_id, namespace_id, source_id, id, ordinal, subject, subject_key,
    predicate, object, object_key, statement, confidence, evidence, valid_from, valid_to)
  select p.id, p.reflection_id, u.namespace_id, p.source_id, given.*
  from patches p join ingest_runs u on u.id = p.run_id,
    unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::float8[], $11::json[], $12::text[], $13::text[]) as given
  where p.id = $1`)

export const READ_PATCH = statement(`
  select f.patch_id, p.notes, f.id, f.subject, f.subject_key, f.predicate, f.object, f.object_key, f.statement,
    f.confidence, f.evidence, f.valid_from, f.valid_to
  from patches p join facts f on f.patch_id = p.id where p.run_id = $1 order by f.ordinal`)

// Without facts of the same source, which end when the run is applied, and of other namespaces, so that public facts
// never depend on private ones. Repetitions in other sources count, since they become active when this source's facts
// end.
export const ACTIVE_FACTS = statement(`
  select f.id, f.subject, f.subject_key, f.predicate, f.object, f.object_key, f.statement, f.valid_from,
    p.origin = 'correction' as is_correction
  from ingest_runs u join facts f on f.namespace_id = u.namespace_id join patches p on p.id = f.patch_id
  where u.id = $1 and f.reflection_id = u.reflection_id and f.subject_key = any($2::text[])
    and f.superseded_at is null and f.source_id is distinct from u.source_id
    and (f.state = 'active' or exists (
      select from facts said where said.id = f.repeats_fact_id and said.source_id = u.source_id
    ))
  order by f.created_at, f.id`)

export const CORRECTED_FACTS = statement(`
  select f.id, f.subject, f.subject_key, f.predicate, f.object, f.object_key, f.statement, f.valid_from,
    false as is_correction
  from ingest_runs u join facts f on f.namespace_id = u.namespace_id
  join patches p on p.id = f.superseded_by_patch and p.origin = 'correction' and p.status = 'applied'
  where u.id = $1 and f.reflection_id = u.reflection_id and f.subject_key = any($2::text[])`)

export const READ_REVISION = statement(`
  select coalesce(max(p.revision), 0)::float8 as revision from ingest_runs u
  left join patches p on p.reflection_id = u.reflection_id where u.id = $1`)

export const SAVE_RUN_EVALUATION = statement('update ingest_runs set evaluation = $2 where id = $1')

export const SAVE_PATCH_EVALUATION = statement('update patches set evaluation = $2 where run_id = $1')

export const READ_EVALUATION = statement('select evaluation from ingest_runs where id = $1')

export const FAIL = statement(`update ingest_runs set outcome = 'failed', problem = $3, ended_at = now()
  where id = $1 and epoch = $2 and outcome is null`)

export const NOTE_DONE = statement(`
  update ingest_runs set done = case when $3 = any(done) then done else done || $3::text end,
    phase = $3, phase_done = null, phase_total = null
  where id = $1 and epoch = $2 and outcome is null`)

export const NOTE_PROGRESS = statement(`update ingest_runs set phase = $3, phase_done = $4, phase_total = $5
  where id = $1 and epoch = $2 and outcome is null`)
