import type Database from 'better-sqlite3-multiple-ciphers'
import type { SessionId } from '@parley/contracts'
import type { CancelRequest } from './cancel-watch.ts'
import type {
  EventsRow,
  LoneEventsRow,
  LeaseRow,
  MediaRow,
  MessageRow,
  NewMessageRow,
  RepeatedTurnRow,
  SessionRow,
  TurnRow,
} from './rows.ts'

type NewSessionRow = Omit<SessionRow, keyof TurnRow | 'agent_snapshot' | 'context' | 'costs' | 'grants'> &
  Pick<SessionRow, 'id'>
type SettingsRow = Pick<SessionRow, 'id' | 'agent_snapshot' | 'context'>

interface BetweenTurnsRow {
  readonly id: SessionId
  readonly new_messages: number
  readonly costs: string | null
  readonly event: number
}

interface NamedMedia {
  readonly session_id: SessionId
  readonly sha256: Uint8Array
}

interface SequenceRange {
  readonly session_id: SessionId
  readonly after: number
  readonly limit: number
}

interface ListRange {
  readonly owner_id: string | null
  readonly channel: string | null
  readonly status: string | null
  /** 1 for sessions with a waiting turn only. */
  readonly waits: 0 | 1
  readonly updated_at: string
  readonly id: string
  readonly limit: number
}

const SESSION = `select agent_sessions.*, agent_snapshot, context
  from agent_sessions join session_settings on session_id = id`

const MESSAGE = `session_messages.session_id, sequence_number, session_messages.id, role, content, turn_id, model_id,
  cut_short, marker, timestamp`

// Event numbers rise with message numbers, so a binary search finds the place.
const LAST_KNOWN_MESSAGE = `(
  with recursive place (low, high) as (
    select 0, message_count from agent_sessions where id = :session_id
    union all
    select iif(event_last <= :after, sequence_number, low), iif(event_last <= :after, high, sequence_number - 1)
    from place join session_messages on session_id = :session_id and sequence_number = (low + high + 1) / 2
    where low < high
  )
  select low from place where low = high
)`

// No index: sorting ten thousand short rows takes less time than an index would cost every turn.
const buildList = (condition: string) =>
  `${SESSION} where id in (
     select id from agent_sessions
     where (updated_at, id) < (:updated_at, :id) and (:owner_id is null or owner_id = :owner_id)
       and (:channel is null or channel = :channel) and (:status is null or status = :status)
       and turn_waits >= :waits and ${condition}
     order by updated_at desc, id desc limit :limit
   ) order by updated_at desc, id desc`

export type Statements = ReturnType<typeof prepareStatements>

/** Every statement of the store, prepared once. */
export const prepareStatements = (database: Database) => ({
  ...prepareSessionWrites(database),
  ...prepareReads(database),
  ...prepareMedia(database),
})

const prepareSessionWrites = (database: Database) => ({
  insertSession: database.prepare<NewSessionRow>(
    `insert into agent_sessions (id, owner_id, channel, status, title, agent_slug, created_at, updated_at,
       message_count, event_last, event_reserved)
     values (:id, :owner_id, :channel, :status, :title, :agent_slug, :created_at, :updated_at,
       :message_count, :event_last, :event_last)`,
  ),
  insertSettings: database.prepare<SettingsRow>(
    'insert into session_settings (session_id, agent_snapshot, context) values (:id, :agent_snapshot, :context)',
  ),
  insertMessage: database.prepare<NewMessageRow>(
    `insert into session_messages (session_id, sequence_number, id, role, content, turn_id, model_id, cut_short,
       marker, timestamp, event_last, events)
     values (:session_id, :sequence_number, :id, :role, :content, :turn_id, :model_id, :cut_short,
       :marker, :timestamp,
       coalesce(:event_last, (select event_last from agent_sessions where id = :session_id)), :events)`,
  ),
  insertEvents: database.prepare<LoneEventsRow>(
    'insert into session_events (session_id, event_last, events) values (:session_id, :event_last, :events)',
  ),

  rename: database.prepare<[string, SessionId]>('update agent_sessions set title = ? where id = ?'),
  end: database.prepare<[string, SessionId]>(
    "update agent_sessions set status = 'ended', updated_at = ? where id = ?",
  ),
  writeBetweenTurns: database.prepare<BetweenTurnsRow>(
    `update agent_sessions set message_count = message_count + :new_messages, event_last = :event,
       event_reserved = :event, costs = coalesce(:costs, costs)
     where id = :id`,
  ),
  askToCancel: database.prepare<[SessionId]>('update agent_sessions set cancel_asked = 1 where id = ?'),
  remove: [
    'insert into session_removals values (:id)',
    `delete from media where (owner_id, sha256) in (select owner_id, sha256 from session_media where session_id = :id)
       and not exists (select 1 from session_media as other where other.owner_id = media.owner_id
         and other.sha256 = media.sha256 and other.session_id <> :id)`,
    'delete from session_media where session_id = :id',
    'delete from session_openings where session_id = :id',
    'delete from session_events where session_id = :id',
    'delete from session_messages where session_id = :id',
    'delete from session_settings where session_id = :id',
    'delete from agent_sessions where id = :id',
    'delete from session_removals where session_id = :id',
  ].map((sql) => database.prepare<{ readonly id: SessionId }>(sql)),
})

const prepareReads = (database: Database) => ({
  findCancelRequests: database.prepare<[], CancelRequest>(
    'select id, lease_epoch from agent_sessions where cancel_asked = 1',
  ),
  findOpenTurns: database.prepare<[], TurnRow>(
    'select * from agent_sessions where lease_turn_id is not null and turn_waits = 0',
  ),
  findLease: database.prepare<[SessionId], LeaseRow>('select * from agent_sessions where id = ?'),
  findSession: database.prepare<[SessionId], SessionRow>(`${SESSION} where id = ?`),
  findRepeatedTurn: database.prepare<[SessionId, string], RepeatedTurnRow>(
    `select ${MESSAGE}, event_sequence from session_openings
     join session_messages on session_messages.session_id = session_openings.session_id
       and sequence_number = message_sequence
     where session_openings.session_id = ? and idempotency_key = ?`,
  ),
  list: database.prepare<ListRange, SessionRow>(buildList('true')),
  search: database.prepare<ListRange & { readonly search: string }, SessionRow>(
    buildList(`(text_holds(title, :search) or exists (select 1 from session_messages
       where session_id = agent_sessions.id and content_holds(content, :search)))`),
  ),

  readMessages: database.prepare<SequenceRange, MessageRow>(
    `select ${MESSAGE} from session_messages where session_id = :session_id and sequence_number > :after
     order by sequence_number limit :limit`,
  ),
  readTail: database.prepare<[SessionId, number], MessageRow>(
    `select ${MESSAGE} from session_messages where session_id = ? order by sequence_number desc limit ?`,
  ),
  findOpeningEvent: database.prepare<[SessionId, number], { readonly event_last: number }>(
    'select event_last from session_messages where session_id = ? and sequence_number = ?',
  ),
  readEvents: database.prepare<SequenceRange, EventsRow>(
    `select * from (
       select event_last, events, sequence_number, turn_id, model_id, timestamp from session_messages
       where session_id = :session_id and sequence_number > ${LAST_KNOWN_MESSAGE} and events is not null
       order by sequence_number limit :limit
     )
     union all
     select * from (
       select event_last, events, null, null, null, null from session_events where session_id = :session_id and event_last > :after
       order by event_last limit :limit
     )
     order by event_last limit :limit`,
  ),
})

const prepareMedia = (database: Database) => ({
  insertMedia: database.prepare<MediaRow & NamedMedia>(
    `insert into media (owner_id, sha256, media_type, bytes)
     select owner_id, :sha256, :media_type, :bytes from agent_sessions where id = :session_id
     on conflict do nothing`,
  ),
  nameMedia: database.prepare<NamedMedia>(
    `insert into session_media (session_id, owner_id, sha256)
     select agent_sessions.id, owner_id, sha256 from agent_sessions join media using (owner_id)
     where agent_sessions.id = :session_id and sha256 = :sha256
     on conflict do nothing`,
  ),
  findMedia: database.prepare<NamedMedia, MediaRow>(
    `select media_type, bytes from session_media join media using (owner_id, sha256)
     where session_id = :session_id and sha256 = :sha256`,
  ),
})
