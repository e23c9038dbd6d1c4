import type { SessionId, TurnId } from '@parley/contracts'
import type Database from 'better-sqlite3-multiple-ciphers'
import type { EventRow, LeaseRow, MessageRow, OpeningRow, SessionRow } from './rows.ts'

type NewSessionRow = Omit<SessionRow, 'agent_snapshot' | 'context' | 'lease_holder' | 'lease_turn_id'>
type SettingsRow = Pick<SessionRow, 'id' | 'agent_snapshot' | 'context'>

interface Progress {
  readonly id: SessionId
  readonly at: string
  readonly message_count: number
  readonly event_last: number
  readonly event_reserved: number
  readonly lease_holder: string | null
  readonly lease_turn_id: TurnId | null
}

interface Range {
  readonly session_id: SessionId
  readonly after: number
  readonly limit: number
}

interface ListRange {
  readonly updated_at: string
  readonly id: string
  readonly limit: number
}

const SESSION = `select agent_sessions.*, agent_snapshot, context
  from agent_sessions join session_settings on session_id = id`

/** Every statement of the store, prepared once. */
export const prepareStatements = (database: Database) => ({
  insertSession: database.prepare<NewSessionRow>(
    `insert into agent_sessions (id, owner_id, channel, status, title, agent_slug, created_at, updated_at,
       message_count, event_last, event_reserved)
     values (:id, :owner_id, :channel, :status, :title, :agent_slug, :created_at, :updated_at,
       :message_count, :event_last, :event_last)`,
  ),
  insertSettings: database.prepare<SettingsRow>(
    'insert into session_settings (session_id, agent_snapshot, context) values (:id, :agent_snapshot, :context)',
  ),
  insertMessage: database.prepare<MessageRow>(
    `insert into session_messages (session_id, sequence_number, id, role, content, model_id, cut_short, timestamp)
     values (:session_id, :sequence_number, :id, :role, :content, :model_id, :cut_short, :timestamp)`,
  ),
  insertEvent: database.prepare<EventRow>(
    `insert into session_events
       (session_id, sequence_number, from_sequence, body, message_sequence, message_part, timestamp)
     values (:session_id, :sequence_number, :from_sequence, :body, :message_sequence, :message_part, :timestamp)`,
  ),
  insertOpening: database.prepare<[SessionId, string, TurnId, number, number]>(
    `insert into session_openings (session_id, idempotency_key, turn_id, message_sequence, event_sequence)
     values (?, ?, ?, ?, ?)`,
  ),

  takeLease: database.prepare<Progress & { readonly title: string }>(
    `update agent_sessions set title = coalesce(title, :title), updated_at = :at, message_count = :message_count,
       turn_count = turn_count + 1, event_last = :event_last, event_reserved = :event_reserved,
       lease_epoch = lease_epoch + 1, lease_holder = :lease_holder, lease_turn_id = :lease_turn_id
     where id = :id`,
  ),
  advance: database.prepare<Progress>(
    `update agent_sessions set updated_at = :at, message_count = :message_count, event_last = :event_last,
       event_reserved = :event_reserved, lease_holder = :lease_holder, lease_turn_id = :lease_turn_id
     where id = :id`,
  ),
  giveUpLease: database.prepare<[SessionId, string]>(
    'update agent_sessions set lease_holder = null, lease_turn_id = null where id = ? and lease_holder = ?',
  ),

  findLease: database.prepare<[SessionId], LeaseRow>('select * from agent_sessions where id = ?'),
  findSession: database.prepare<[SessionId], SessionRow>(`${SESSION} where id = ?`),
  findOpening: database.prepare<[SessionId, string], OpeningRow>(
    `select session_messages.*, turn_id, event_sequence from session_openings
     join session_messages on session_messages.session_id = session_openings.session_id
       and sequence_number = message_sequence
     where session_openings.session_id = ? and idempotency_key = ?`,
  ),
  listOfOwner: database.prepare<ListRange & { readonly owner_id: string }, SessionRow>(
    `${SESSION} where owner_id = :owner_id and (updated_at, id) < (:updated_at, :id)
     order by updated_at desc, id desc limit :limit`,
  ),
  // The places are sorted first, from the index alone, so that only the rows of the page are read.
  listOfAll: database.prepare<ListRange, SessionRow>(
    `${SESSION} where id in (
       select id from agent_sessions where (updated_at, id) < (:updated_at, :id)
       order by updated_at desc, id desc limit :limit
     ) order by updated_at desc, id desc`,
  ),

  readMessages: database.prepare<Range, MessageRow>(
    `select * from session_messages where session_id = :session_id and sequence_number > :after
     order by sequence_number limit :limit`,
  ),
  readTail: database.prepare<[SessionId, number], MessageRow>(
    'select * from session_messages where session_id = ? order by sequence_number desc limit ?',
  ),
  readEvents: database.prepare<Range, EventRow>(
    `select * from session_events where session_id = :session_id and sequence_number > :after
     order by sequence_number limit :limit`,
  ),
})
