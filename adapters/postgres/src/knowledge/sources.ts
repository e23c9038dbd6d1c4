import {
  CONVERSATIONS,
  type PageQuery,
  PlatformError,
  type ReflectionId,
  type SessionId,
  type SourceId,
  type SourcePassage,
} from '@parley/contracts'
import type { ConfidentialFilter, EndedSessions, KnowledgeReader, ReflectionStore } from '@parley/knowledge'
import { requireKnownNamespaces } from '@parley/reflections'
import { computeSha256 } from '../hashes.ts'
import { type Run, findFirst } from '../run-statements.ts'
import { RECORD_ACTION } from './audit.ts'
import { RAISE_PUBLISH_REVISION, endPublicSessions } from './public-scopes.ts'
import { type SourceRow, toSource } from './rows.ts'
import { type StoreHost, createId, requestRebuild } from './store-host.ts'
import { parseTimePage, toTimePage } from '../pages.ts'
import { statement } from '../statement.ts'

type SourceReader = Pick<KnowledgeReader, 'findSource' | 'listSources' | 'readSourceText'>
type SourceWriter = Pick<ReflectionStore, 'addSource' | 'removeSource'>

/** A page of all sources, or of those in a namespace. */
interface SourcesPage extends PageQuery, ConfidentialFilter {
  readonly namespace?: string
}

/** Sources as the server sees them: the requests and the progress of the jobs. */
export const createSourceReader = (run: Run): SourceReader => ({
  findSource: (reflectionId, sourceId) => findFirst(run<SourceRow>(FIND, [reflectionId, sourceId]), toSource),

  async listSources(reflectionId, page: SourcesPage) {
    const values = [reflectionId, ...parseTimePage(page), page.namespace]
    const rows = await run<SourceRow>(LIST, [...values, page.excludeConfidential ? CONVERSATIONS : null])
    return toTimePage(page, rows, toSource)
  },

  /** The searched chunks, in order. */
  async readSourceText(reflectionId, sourceId, { after, limit, words }) {
    const [counts] = await run<{ count: number; found_at: number | null }>(COUNT_PASSAGES, [
      reflectionId,
      sourceId,
      words,
    ])
    const { count = 0, found_at: foundAt = null } = counts ?? {}
    const from = foundAt === null ? after : Math.max(0, foundAt - 1 - PASSAGES_BEFORE)
    const items = await run<SourcePassage>(READ_PASSAGES, [reflectionId, sourceId, from, limit])
    return { items: [...items], count, ...(foundAt !== null && { foundAt }) }
  },
})

export function createSourceWriter({ transact, jobs }: Omit<StoreHost, 'run'>): SourceWriter {
  return {
    addSource: (reflectionId, { title, namespace, bytes, mediaType, fileName }, by, sourceId) =>
      transact(async (execute) => {
        const before =
          sourceId === undefined ? undefined : await lockAndFindSource(execute, reflectionId, sourceId)
        if (before) await execute(RAISE_PUBLISH_REVISION, [reflectionId])
        const namespaceId = await findNamespaceId(execute, reflectionId, namespace)
        const id = sourceId ?? (createId('src_') as SourceId)
        const hash = computeSha256(bytes)
        await execute(INSERT_ORIGINAL, [reflectionId, hash, Buffer.from(bytes)])
        await execute(REQUEST_INGEST, [reflectionId, id, namespaceId, title, mediaType, fileName, hash, by])
        const [recent] = await execute<{ recent: number }>(COUNT_RECENT_REQUESTS, [reflectionId])
        await jobs.send('ingest-source', { sourceId: id }, execute, id, -(recent?.recent ?? 0))
        const source = toSource(await requireSource(execute, reflectionId, id))
        if (before === undefined || before.namespace === namespace) return source
        const endedSessions = before.is_published && (await endPublicSessions(execute, reflectionId))
        await requestRebuild(jobs, execute, reflectionId)
        return { ...source, ...(endedSessions && { endedSessions }) }
      }),

    removeSource: (reflectionId, sourceId, by) =>
      transact(async (execute) => {
        const { state, is_published: isPublished } = await lockAndFindSource(execute, reflectionId, sourceId)
        if (state === 'removing') return NO_SESSIONS
        await execute(REQUEST_REMOVAL, [reflectionId, sourceId, by])
        await execute(COUNT_REVOCATION_OF_ALL_AGENTS, [reflectionId])
        // Invalidates cached search results.
        await execute(RAISE_PUBLISH_REVISION, [reflectionId])
        await execute(RECORD_ACTION, [reflectionId, by, 'source_removed', sourceId])
        await jobs.send('remove-source', { sourceId }, execute, sourceId)
        const outdated = await markOutdatedSessions(execute, reflectionId, sourceId)
        const { ended } = isPublished ? await endPublicSessions(execute, reflectionId) : NO_SESSIONS
        return { ended: [...outdated, ...ended] }
      }),
  }
}

const NO_SESSIONS: EndedSessions = { ended: [] }

async function requireSource(run: Run, reflectionId: ReflectionId, sourceId: SourceId): Promise<SourceRow> {
  const [row] = await run<SourceRow>(FIND, [reflectionId, sourceId])
  if (row) return row
  throw new PlatformError('source_not_found', { reflectionId, sourceId })
}

/** Reads it before a change, and locks the reflection. */
async function lockAndFindSource(
  run: Run,
  reflectionId: ReflectionId,
  sourceId: SourceId,
): Promise<SourceRow> {
  await run(LOCK_ROW, [reflectionId])
  return requireSource(run, reflectionId, sourceId)
}

async function findNamespaceId(run: Run, reflectionId: ReflectionId, name: string): Promise<string> {
  const rows = await run<{ id: string; name: string }>(NAMESPACES, [reflectionId])
  if (rows.length === 0) throw new PlatformError('reflection_not_found', { reflectionId })
  requireKnownNamespaces(
    [name],
    rows.map((row) => row.name),
  )
  return rows.find((row) => row.name === name)?.id ?? ''
}

// The last request has the source's content; its run has the same bytes. If the run ended for an earlier request and
// the source still shows it, the bytes were there already.
const selectSources = (
  which: string,
) => `select i.source_id as id, i.title, n.name as namespace, n.is_published, i.media_type, i.file_name,
    octet_length(o.bytes) as bytes, encode(i.sha256, 'hex') as content_hash, i.created_at, u.phase, u.phase_done, u.phase_total, u.problem,
    case when u.outcome = 'duplicate_skipped' then u.duplicate_of end as duplicate_of,
    case when u.outcome = 'duplicate_skipped' then (
      select same.title from sources same where same.id = u.duplicate_of and not exists (
        select from intake x where x.source_id = same.id and x.kind = 'remove_source'
      )
    ) end as duplicate_title,
    case
      when exists (select from intake x where x.source_id = i.source_id and x.kind = 'remove_source') then 'removing'
      when u.id is null then 'queued'
      when u.outcome is null then 'running'
      when u.intake_id = i.id then u.outcome
      when u.outcome in ('failed', 'duplicate_skipped') or s.current_run_id is distinct from u.id or u.namespace_id <> i.namespace_id
        then 'queued'
      else 'duplicate_skipped'
    end as state,
    (select count(*)::int from chunks c where c.source_id = i.source_id and c.is_current) as chunks,
    (select count(*)::int from facts f
      where f.source_id = i.source_id and f.superseded_at is null
        and (f.state = 'active' or f.repeats_fact_id is not null)) as facts
  from (
    select distinct on (source_id) *, min(requested_at) over (partition by source_id) as created_at
    from intake where reflection_id = $1 and kind = 'source'${which} order by source_id, id desc
  ) i
  join reflections r on r.id = i.reflection_id and r.removed_at is null
  join namespaces n on n.id = i.namespace_id
  join originals o on o.reflection_id = i.reflection_id and o.sha256 = i.sha256
  left join sources s on s.id = i.source_id
  left join ingest_runs u
    on u.reflection_id = i.reflection_id and u.source_id = i.source_id and u.content_hash = i.sha256`

export const ALL_SOURCES = selectSources('')

/** Sources with searchable content, or soon. If a new version failed, the earlier one is still searched. */
export const IS_SEARCHABLE = `state <> 'removing' and not (state in ('failed', 'eval_rejected') and chunks = 0)`

const FIND = statement(selectSources(' and source_id = $2'))

const LIST = statement(`${ALL_SOURCES} where (i.created_at, i.source_id) < ($3::timestamptz, $4)
    and ($5::text is null or n.name = $5) and ($6::text is null or n.name <> $6)
  order by i.created_at desc, i.source_id desc limit $2`)

// Without the lock on its key: a worker that holds the knowledge lock inserts rows that refer to it, and must not wait here.
const LOCK_ROW = statement('select from reflections where id = $1 for no key update')

const NAMESPACES = statement(`
  select n.id, n.name from namespaces n join reflections r on r.id = n.reflection_id
  where r.id = $1 and r.removed_at is null order by n.name`)

/** The number of passages before the found one. */
const PASSAGES_BEFORE = 3

const COUNT_PASSAGES = statement(`select count(*)::int as count,
    min(ordinal) filter (where $3::text is not null and position($3 in text) > 0) as found_at
  from chunks where reflection_id = $1 and source_id = $2 and is_current`)

const READ_PASSAGES = statement(`select ordinal, text, place from chunks
  where reflection_id = $1 and source_id = $2 and is_current and ordinal > $3
  order by ordinal limit $4`)

const INSERT_ORIGINAL = statement(
  'insert into originals (reflection_id, sha256, bytes) values ($1, $2, $3) on conflict do nothing',
)

const REQUEST_INGEST = statement(`insert into intake
    (reflection_id, kind, source_id, namespace_id, title, media_type, file_name, sha256, requested_by)
  values ($1, 'source', $2, $3, $4, $5, $6, $7, $8)`)

// The more recent requests, the lower the priority: one reflection's sources do not delay another's.
const COUNT_RECENT_REQUESTS = statement(`select count(*)::int as recent from intake
  where reflection_id = $1 and requested_at > now() - interval '10 minutes'`)

// Any agent may contain parts of the source.
const COUNT_REVOCATION_OF_ALL_AGENTS = statement(
  'update runtime_syncs set revocations = revocations + 1 where reflection_id = $1',
)

const REQUEST_REMOVAL = statement(`
  insert into intake (reflection_id, kind, source_id, requested_by) values ($1, 'remove_source', $2, $3)`)

/**
 * A session's prompt is fixed at its start. Before a source is removed, marks the sessions that began while a promoted
 * generation contained it, so that they cannot continue, and returns the private typed ones, to be stopped.
 */
async function markOutdatedSessions(
  execute: Run,
  reflectionId: ReflectionId,
  sourceId: SourceId,
): Promise<readonly SessionId[]> {
  const outdated = await execute<{ session_id: SessionId }>(MARK_OUTDATED_SESSIONS, [reflectionId, sourceId])
  return outdated.map(({ session_id: sessionId }) => sessionId)
}

// A start takes 12 s at most, and may have read the artifacts at its end.
const MARK_OUTDATED_SESSIONS = statement(`with promoted as (
    select min(l.at) - interval '15 seconds' as since
    from artifact_ledger l join voice_artifacts a using (reflection_id, generation)
    where l.reflection_id = $1 and l.stage = 'promoted' and a.payload is not null and exists (
      select from json_array_elements(a.payload -> 'voice_evidence_pack' -> 'items') as item
      where item ->> 'sourceId' = $2
    )
  ), outdated as (
    update reflection_sessions s set is_outdated = true from promoted
    where s.reflection_id = $1 and s.created_at >= promoted.since
    returning s.session_id, s.channel, s.session_audience, s.status
  )
  select session_id from outdated
  where channel = 'text' and session_audience = 'private' and status in ('starting', 'active')`)
