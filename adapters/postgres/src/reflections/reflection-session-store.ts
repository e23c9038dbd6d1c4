import { type PersonId, PlatformError, type ReflectionId, type SessionId } from '@parley/contracts'
import type { ReflectionSession, ReflectionSessionStore } from '@parley/reflections'
import { parseTimePage, toPage, toTimeCursor } from '../pages.ts'
import { type RowOf, findRecord, listRecords, toRecord } from '../records.ts'
import type { StoreHost } from '../knowledge/store-host.ts'
import { hasRows, ignoreRows } from '../run-statements.ts'
import { isReflectionAdmin } from '../sessions/list-statement.ts'
import { IS_LINK_USABLE, KEEPS_SESSIONS_OPEN } from './share-link-store.ts'
import { addTranscriptSource } from './transcript-store.ts'
import { statement } from '../statement.ts'

const COLUMNS = `s.session_id, s.reflection_id, s.person_id, s.share_link_id, s.channel, s.mode, s.session_audience, s.surface,
  s.role, s.ingestion, s.namespaces, s.status, s.failure, s.agent_id, s.provider_conversation_id, s.transcript,
  nullif(s.is_outdated, false) as is_outdated, nullif(s.is_narrowed, false) as is_narrowed, s.created_at`

interface EndedRow {
  readonly reflection_id: ReflectionId
  readonly person_id: PersonId
}

type OpenedSession = Parameters<ReflectionSessionStore['open']>[0]

/** Sessions with reflections, through the login of `parley_serving`. */
export function postgresReflectionSessionStore({ run, transact, jobs }: StoreHost): ReflectionSessionStore {
  return {
    async open(session, visitorTokenHash, signal) {
      const values = toOpenValues(session, visitorTokenHash)
      if (await hasRows(run(OPEN, values, signal))) return
      throw new PlatformError('share_link_invalid', { message: 'This link is invalid or has expired.' })
    },

    find: (sessionId) => findRecord(run(FIND, [sessionId])),

    async findReflections(sessionIds) {
      const rows = await run<{ session_id: SessionId; reflection_id: ReflectionId }>(REFLECTIONS_OF, [
        sessionIds,
      ])
      return new Map(rows.map((row) => [row.session_id, row.reflection_id]))
    },

    findByVisitor: (tokenHash) => findRecord(run(FIND_BY_VISITOR, [Buffer.from(tokenHash)])),
    findByProvider: (conversationId) => findRecord(run(FIND_BY_PROVIDER, [conversationId])),

    activateSpoken: (sessionId, { providerConversationId, agentId, surface }, signal) =>
      hasRows(run(ACTIVATE_SPOKEN, [sessionId, providerConversationId, agentId, surface], signal)),

    activateTyped: (sessionId, surface, signal) => hasRows(run(ACTIVATE_TYPED, [sessionId, surface], signal)),

    takeReconnect: (sessionId, most) => hasRows(run(TAKE_RECONNECT, [sessionId, most])),

    fail: (sessionId, code) => ignoreRows(run(FAIL, [sessionId, code])),

    failOverdue: (before) => listRecords(run(FAIL_OVERDUE, [before, 'internal'])),

    async listFailed({ personId, reader, reflectionId, channel, ...page }) {
      const filters = [personId, reader, reflectionId, channel]
      const rows = await run<RowOf<ReflectionSession>>(LIST_FAILED, [...parseTimePage(page), ...filters])
      return toPage(page, rows, toRecord<ReflectionSession>, (last) =>
        toTimeCursor(last.created_at, last.session_id),
      )
    },

    end: (sessionId, source) =>
      transact(async (execute) => {
        const [row] = await execute<EndedRow>(END, [sessionId])
        if (row && source) await addTranscriptSource(execute, row, source, jobs)
        return row !== undefined
      }),

    listEarlier: (reflectionId, personId, limit, signal) =>
      listRecords(run(LIST_EARLIER, [reflectionId, personId, limit], signal)),

    async countVisitors(reflectionId) {
      const [row] = await run<{ count: number }>(COUNT_VISITORS, [reflectionId])
      return row?.count ?? 0
    },

    async listCalls(reflectionId) {
      const rows = await run<{ provider_conversation_id: string }>(LIST_CALLS, [reflectionId])
      return rows.map((row) => row.provider_conversation_id)
    },

    listCallsWithoutTranscript: (before, limit) =>
      listRecords(run(LIST_CALLS_WITHOUT_TRANSCRIPT, [before, limit])),

    isEventTaken: (eventKey) => hasRows(run(FIND_EVENT, [eventKey])),

    recordEvent: (eventKey) => ignoreRows(run(RECORD_EVENT, [eventKey])),
  }
}

const toOpenValues = (session: OpenedSession, visitorTokenHash?: Uint8Array): readonly unknown[] => [
  session.sessionId,
  session.reflectionId,
  session.personId,
  session.shareLinkId,
  visitorTokenHash ? Buffer.from(visitorTokenHash) : null,
  session.channel,
  session.mode,
  session.sessionAudience,
  session.surface,
  session.role,
  session.ingestion,
  [...session.namespaces],
  session.status,
  session.agentId,
  session.isNarrowed ?? false,
]

// One statement counts the use of the link and adds the session, so that both happen or neither.
const OPEN = statement(`with taken as (
    update share_links l set uses = l.uses + 1 where l.id = $4 and ${IS_LINK_USABLE} returning l.id
  )
  insert into reflection_sessions (session_id, reflection_id, person_id, share_link_id, visitor_token_hash,
    channel, mode, session_audience, surface, role, ingestion, namespaces, status, agent_id, is_narrowed)
  select $1, $2, $3, $4::text, $5::bytea, $6, $7, $8, $9, $10, $11, $12::text[], $13, $14, $15::boolean
  where $4::text is null or exists (select from taken)
  returning session_id`)

const FIND = statement(`select ${COLUMNS} from reflection_sessions s where s.session_id = $1`)

const REFLECTIONS_OF = statement(
  'select session_id, reflection_id from reflection_sessions where session_id = any($1)',
)

const FIND_BY_VISITOR = statement(`
  select ${COLUMNS} from reflection_sessions s join share_links l on l.id = s.share_link_id
    join reflections r on r.id = s.reflection_id and r.removed_at is null
  where s.visitor_token_hash = $1 and s.status in ('active', 'ended')
    and ${KEEPS_SESSIONS_OPEN}`)

const FIND_BY_PROVIDER = statement(`
  select ${COLUMNS} from reflection_sessions s where s.provider_conversation_id = $1`)

// From now on the transcript of the call is pending.
const ACTIVATE_SPOKEN = statement(`
  update reflection_sessions set status = 'active', provider_conversation_id = $2, agent_id = $3,
    transcript = 'pending', surface = coalesce($4, surface)
  where session_id = $1 and channel = 'voice' and status in ('starting', 'active')
  returning session_id`)

const ACTIVATE_TYPED =
  statement(`update reflection_sessions set status = 'active', surface = coalesce($2, surface)
  where session_id = $1 and channel = 'text' and status = 'starting'
  returning session_id`)

const TAKE_RECONNECT = statement(`update reflection_sessions set reconnects = reconnects + 1
  where session_id = $1 and status = 'active' and reconnects < $2
  returning session_id`)

/** Fails the matching sessions and returns their uses to the links. A session that has already ended stays ended. */
const failSessions = (condition: string) => `with before as (
      select session_id, is_use_returned, status in ('starting', 'active') as is_on
      from reflection_sessions where ${condition} for update
    ), s as (
      update reflection_sessions r set is_use_returned = true,
        status = case when is_on then 'failed' else status end,
        failure = case when is_on then $2 else failure end,
        ended_at = case when is_on then now() else ended_at end
      from before where r.session_id = before.session_id
      returning r.*
    ), taken as (
      select s.share_link_id, count(*) as uses from s join before using (session_id)
      where s.share_link_id is not null and not before.is_use_returned
      group by s.share_link_id
    ), given as (
      update share_links l set uses = greatest(l.uses - taken.uses, 0)
      from taken where l.id = taken.share_link_id
    )
    select ${COLUMNS} from s`

const FAIL = statement(failSessions('session_id = $1'))

const FAIL_OVERDUE = statement(failSessions(`status = 'starting' and created_at < $1::timestamptz`))

const LIST_FAILED = statement(`select ${COLUMNS} from reflection_sessions s
    join reflections r on r.id = s.reflection_id and r.removed_at is null
  where s.status = 'failed' and s.ingestion <> 'off-record' and (s.created_at, s.session_id) < ($2::timestamptz, $3)
    and ($4::text is null or s.person_id = $4)
    and ($5::text is null or s.person_id = $5 or ${isReflectionAdmin('$5')})
    and ($6::text is null or s.reflection_id = $6) and ($7::text is null or s.channel = $7)
  order by s.created_at desc, s.session_id desc limit $1`)

const END = statement(`update reflection_sessions set status = 'ended', ended_at = now()
  where session_id = $1 and status in ('starting', 'active')
  returning reflection_id, person_id`)

const IS_EARLIER = `s.reflection_id = $1 and s.person_id = $2 and s.session_audience = 'private'
  and s.status in ('active', 'ended') and s.ingestion <> 'off-record'`

// An empty session counts only if there is no other.
const LIST_EARLIER = statement(`with spoken as (
    select ${COLUMNS} from reflection_sessions s
    where ${IS_EARLIER}
      and exists (select from session_messages m where m.session_id = s.session_id and m.role = 'user')
    order by s.created_at desc, s.session_id desc limit $3
  ), latest as (
    select ${COLUMNS} from reflection_sessions s where ${IS_EARLIER}
    order by s.created_at desc, s.session_id desc limit 1
  )
  select * from spoken union all select * from latest where not exists (select from spoken)
  order by created_at desc, session_id desc`)

const COUNT_VISITORS = statement(`select count(*)::int as count from reflection_sessions
  where reflection_id = $1 and session_audience = 'public' and status in ('starting', 'active')`)

const LIST_CALLS = statement(`select provider_conversation_id from reflection_sessions
  where reflection_id = $1 and provider_conversation_id is not null
  union all
  select e.provider_conversation_id from earlier_calls e join reflection_sessions s using (session_id)
  where s.reflection_id = $1`)

const LIST_CALLS_WITHOUT_TRANSCRIPT = statement(`select ${COLUMNS} from reflection_sessions s
  where s.transcript = 'pending' and s.created_at < $1::timestamptz
    and coalesce(s.ended_at, s.created_at) < $1::timestamptz
    and not exists (
      select from held_calls h where h.provider_conversation_id = s.provider_conversation_id
    )
  order by s.created_at limit $2`)

const FIND_EVENT = statement('select from provider_events where event_key = $1')

const RECORD_EVENT = statement('insert into provider_events (event_key) values ($1) on conflict do nothing')
