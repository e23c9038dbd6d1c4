import type { ReflectionId, SourceId } from '@parley/contracts'
import type { IngestRun } from '@parley/knowledge'
import { findRecord } from '../records.ts'
import { type Run, hasRows } from '../run-statements.ts'
import { LOCK_KNOWLEDGE } from './apply-run.ts'
import type { OpenedRun } from './ingest-rows.ts'
import { createId } from './store-host.ts'
import { statement } from '../statement.ts'

/** In one transaction: opens the run for the source's current content, for this caller alone. */
export async function openRun(execute: Run, sourceId: SourceId): Promise<IngestRun | undefined> {
  const [source] = await execute<{ reflection_id: string }>(FIND_REFLECTION, [sourceId])
  if (!source) return undefined
  // A worker that was considered dead applies its run before this, or not at all.
  await execute(LOCK_KNOWLEDGE, [source.reflection_id])
  const [request] = await execute<RequestRow>(FIND_REQUEST, [sourceId])
  if (!request) return undefined
  await execute(ENSURE_SOURCE, [sourceId, request.reflection_id, request.namespace_id, request.title])
  await execute(CLOSE_OTHER_RUNS, [request.id])
  if (await hasRows(execute(IS_CURRENT, [request.id]))) return undefined
  await execute(DETACH_PATCH, [request.id])
  const [opened] = await execute<{ id: string }>(OPEN_RUN, [createId('ing_'), request.id])
  if (!opened) return undefined
  const [same] = await execute<{ source_id: SourceId }>(FIND_SAME, [request.id])
  if (same) {
    await execute(SKIP, [opened.id, same.source_id])
    return undefined
  }
  return findRecord<OpenedRun>(execute(READ_RUN, [opened.id]))
}

interface RequestRow {
  readonly id: string
  readonly reflection_id: ReflectionId
  readonly namespace_id: string
  readonly title: string
}

const FIND_REFLECTION = statement('select reflection_id from intake where source_id = $1 limit 1')

// The last request for the source, unless it or its reflection is being removed.
const FIND_REQUEST = statement(`select i.id, i.reflection_id, i.namespace_id, i.title from intake i
  join reflections r on r.id = i.reflection_id and r.removed_at is null
  where i.source_id = $1 and i.kind = 'source' and not exists (
    select from intake x where x.source_id = $1 and x.kind = 'remove_source'
  )
  order by i.id desc limit 1`)

// The same bytes in the same searchable place: there is nothing to learn.
const IS_CURRENT = statement(`select from intake i
  join ingest_runs u on u.reflection_id = i.reflection_id and u.source_id = i.source_id
    and u.content_hash = i.sha256 and u.namespace_id = i.namespace_id
  join sources s on s.id = u.source_id and s.current_run_id = u.id
  where i.id = $1 and u.outcome in ('completed', 'eval_rejected')
    and not exists (select from chunks c where c.run_id = u.id and not c.is_current)`)

const ENSURE_SOURCE = statement(`
  insert into sources (id, reflection_id, namespace_id, title) values ($1, $2, $3, $4)
  on conflict do nothing`)

// Closes open runs of other versions of the source.
const CLOSE_OTHER_RUNS = statement(`update ingest_runs u set epoch = u.epoch + 1 from intake i
  where i.id = $1 and u.source_id = i.source_id and u.content_hash <> i.sha256 and u.outcome is null`)

// The patch of an earlier end of this run becomes history.
const DETACH_PATCH = statement(`update patches p set run_id = null from ingest_runs u, intake i
  where i.id = $1 and u.reflection_id = i.reflection_id and u.source_id = i.source_id
    and u.content_hash = i.sha256 and u.outcome in ('completed', 'eval_rejected') and p.run_id = u.id`)

// A completed run stays while the source shows it in this namespace; otherwise it starts over. A failed run, or one whose
// worker is gone, is resumed.
const OPEN_RUN = statement(`
  insert into ingest_runs (id, reflection_id, source_id, content_hash, intake_id, namespace_id, title)
  select $1, reflection_id, source_id, sha256, id, namespace_id, title from intake where id = $2
  on conflict (reflection_id, source_id, content_hash) do update
    set epoch = ingest_runs.epoch + 1, outcome = null, problem = null, duplicate_of = null, ended_at = null,
      intake_id = excluded.intake_id, namespace_id = excluded.namespace_id, title = excluded.title,
      done = case
        when ingest_runs.outcome in ('completed', 'eval_rejected')
          or ingest_runs.namespace_id <> excluded.namespace_id then '{}'
        else ingest_runs.done
      end
    where ingest_runs.erased_at is null
  returning id`)

// Another source with the same bytes in the same namespace that was learned, or requested earlier. Failed sources and
// sources that are being removed do not count.
const FIND_SAME = statement(`select other.source_id from intake i
  join intake other on other.reflection_id = i.reflection_id and other.sha256 = i.sha256
    and other.namespace_id = i.namespace_id and other.kind = 'source' and other.source_id <> i.source_id
  left join ingest_runs u on u.reflection_id = other.reflection_id and u.source_id = other.source_id
    and u.content_hash = other.sha256
  where i.id = $1
    and not exists (
      select from intake later where later.source_id = other.source_id and later.id > other.id
    )
    and (u.outcome in ('completed', 'eval_rejected') or (u.outcome is null and other.id < i.id))
  order by u.outcome is null, other.id limit 1`)

const SKIP = statement(`
  update ingest_runs set outcome = 'duplicate_skipped', duplicate_of = $2, ended_at = now() where id = $1`)

const READ_RUN = statement(`
  select u.id, u.epoch, u.reflection_id, u.source_id, u.title, r.display_name, r.creator_name, u.done,
    case when n.name = 'conversations' then r.conversation_approval else r.approval end as approval,
    -- A transcript says itself who speaks.
    nullif(n.name = 'conversations' and i.media_type = 'text/plain', false) as is_from_conversation
  from ingest_runs u join reflections r on r.id = u.reflection_id join namespaces n on n.id = u.namespace_id
    join intake i on i.id = u.intake_id
  where u.id = $1`)
