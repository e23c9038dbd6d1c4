import {
  CONVERSATIONS,
  type MessageId,
  type PersonId,
  PlatformError,
  type ReflectionId,
  type SessionId,
  type SessionMessage,
} from '@parley/contracts'
import { createCallEvents, packEvents } from '@parley/engine'
import type { TakenCall, TranscriptMessage, TranscriptSource, TranscriptStore } from '@parley/reflections'
import { createSourceWriter } from '../knowledge/sources.ts'
import { type StoreHost, createId } from '../knowledge/store-host.ts'
import { findRecord, listRecords } from '../records.ts'
import { type Run, runAlone, hasRows } from '../run-statements.ts'
import { MESSAGE_COLUMNS, toMessagePlaceholders, toMessageColumns } from '../sessions/rows.ts'
import { statement } from '../statement.ts'

/** The media type of session transcripts. */
const TRANSCRIPT_MEDIA_TYPE = 'application/vnd.parley.transcript+json'

/** Transcripts of sessions with reflections, through the login of `parley_serving`. */
export function postgresTranscriptStore({ run, transact, jobs }: StoreHost): TranscriptStore {
  /** Stores the calls that no longer wait for an earlier one, in the order of their start. */
  const storeReleasedCalls = async (execute: Run, sessionId: SessionId): Promise<readonly string[]> => {
    const released = await execute<HeldRow>(RELEASE, [sessionId])
    for (const { provider_conversation_id: id, call } of released) {
      const row = await markReceived(execute, sessionId, id)
      if (!row) continue
      const [idle] = await execute<IdleRow>(LOCK_IDLE, [sessionId])
      // A turn is open; the caller tries again later.
      if (!idle) throw new PlatformError('session_busy', { sessionId })
      await execute(APPEND, [sessionId, call.title, ...toAppendValues(sessionId, call.messages, idle)])
      if (call.source) await addTranscriptSource(execute, row, call.source, jobs)
    }
    return released.map((row) => row.provider_conversation_id)
  }

  return {
    take: ({ sessionId, providerConversationId, startedAt, messages, title, source }) =>
      transact(async (execute) => {
        const [session] = await execute<{ ingestion: ReceivedRow['ingestion'] }>(LOCK_SESSION, [sessionId])
        const [awaited] = await execute(FIND_AWAITED, [sessionId, providerConversationId])
        if (!session || !awaited) return 'taken-before'
        const exists = await hasRows(execute(FIND_SESSION, [sessionId]))
        if (session.ingestion === 'off-record' || !exists) {
          await markReceived(execute, sessionId, providerConversationId)
          return exists || session.ingestion === 'off-record' ? 'taken' : 'gone'
        }
        const call = JSON.stringify({ messages, title, source })
        await execute(HOLD, [providerConversationId, sessionId, call, startedAt])
        const taken = await storeReleasedCalls(execute, sessionId)
        return taken.includes(providerConversationId) ? 'taken' : 'held'
      }),

    giveUp: ({ sessionId, providerConversationId }, { boundBefore, failure }) =>
      transact(async (execute) => {
        await execute(LOCK_SESSION, [sessionId])
        await execute(GIVE_UP, [sessionId, providerConversationId, failure, boundBefore])
        await storeReleasedCalls(execute, sessionId)
      }),

    findEarlier: (providerConversationId) => findRecord(run(FIND_EARLIER, [providerConversationId])),

    listEarlierWithoutTranscript: (before, limit) =>
      listRecords(run(LIST_EARLIER_WITHOUT_TRANSCRIPT, [before, limit])),

    async listAbandoned(silentSince, limit) {
      const rows = await run<{ session_id: SessionId }>(LIST_ABANDONED, [silentSince, limit])
      return rows.map((row) => row.session_id)
    },

    runExclusively: (work) => runAlone(transact, 'transcripts', work),
  }
}

/** Adds a transcript to the sources of its reflection, in the transaction of `execute`. */
export async function addTranscriptSource(
  execute: Run,
  row: Pick<ReceivedRow, 'reflection_id' | 'person_id'>,
  { title, text }: TranscriptSource,
  jobs: StoreHost['jobs'],
): Promise<void> {
  const { addSource } = createSourceWriter({ transact: (work) => work(execute), jobs })
  const source = {
    title,
    namespace: CONVERSATIONS,
    bytes: Buffer.from(text),
    mediaType: TRANSCRIPT_MEDIA_TYPE,
  }
  await addSource(row.reflection_id, source, row.person_id)
}

/** Marks a call as received; undefined if it was not pending. */
async function markReceived(execute: Run, sessionId: SessionId, providerConversationId: string) {
  const call = [sessionId, providerConversationId]
  const [bound] = await execute<ReceivedRow>(MARK_RECEIVED, call)
  const [row] = bound ? [bound] : await execute<ReceivedRow>(MARK_EARLIER_RECEIVED, call)
  return row
}

interface ReceivedRow {
  readonly reflection_id: ReflectionId
  readonly person_id: PersonId
  readonly ingestion: 'ingest' | 'keep-only' | 'off-record'
}

interface IdleRow {
  readonly message_count: number
  readonly event_last: number
  /** The time of the last event. */
  readonly event_at: Date
}

interface HeldRow {
  readonly provider_conversation_id: string
  readonly call: Pick<TakenCall, 'messages' | 'title' | 'source'>
}

/** The new messages, numbered after the existing ones, and their events. */
function toAppendValues(
  sessionId: SessionId,
  messages: readonly TranscriptMessage[],
  { message_count, event_last, event_at }: IdleRow,
): readonly unknown[] {
  const numbered = messages.map((message, index): SessionMessage => ({
    ...message,
    id: createId('msg_') as MessageId,
    sessionId,
    sequenceNumber: message_count + index + 1,
  }))
  const events = createCallEvents(numbered, { sequenceNumber: event_last, timestamp: event_at.toISOString() })
  return [
    events.at(-1)?.sequenceNumber ?? event_last,
    packEvents(events, numbered.at(-1)),
    ...toMessageColumns(numbered),
  ]
}

/** Calls of one session are stored one after another. */
const LOCK_SESSION = statement('select ingestion from reflection_sessions where session_id = $1 for update')

/** Includes a call that was given up. */
const FIND_AWAITED = statement(`select from reflection_sessions
  where session_id = $1 and provider_conversation_id = $2 and transcript <> 'stored'
  union all
  select from earlier_calls where session_id = $1 and provider_conversation_id = $2`)

const HOLD = statement(`insert into held_calls (provider_conversation_id, session_id, call, started_at)
  values ($1, $2, $3, $4) on conflict do nothing`)

// A call waits for the earlier calls that it replaced, unless those also wait here or were given up.
const RELEASE = statement(`with released as (
    delete from held_calls h where h.session_id = $1 and not exists (
      select from earlier_calls e
      where e.session_id = $1 and e.given_up_at is null
        and e.provider_conversation_id not in (select provider_conversation_id from held_calls where session_id = $1)
        and not exists (
          select from earlier_calls own
          where own.provider_conversation_id = h.provider_conversation_id and own.ordinal <= e.ordinal
        )
    )
    returning h.provider_conversation_id, h.call, h.started_at
  )
  select released.provider_conversation_id, released.call from released
  left join earlier_calls own on own.provider_conversation_id = released.provider_conversation_id
  order by released.started_at, own.ordinal nulls last`)

// An off-record session ends with its call; any other may continue as text. A call that was given up has not failed if
// its transcript arrives later.
const MARK_RECEIVED = statement(`update reflection_sessions set transcript = 'stored',
    failure = case when failure in ('call_failed', 'transcript_lost') then null else failure end,
    status = case when ingestion = 'off-record' then 'ended' else status end,
    ended_at = case when ingestion = 'off-record' then coalesce(ended_at, now()) else ended_at end
  where session_id = $1 and provider_conversation_id = $2 and transcript <> 'stored'
  returning reflection_id, person_id, ingestion`)

// The session continues in the call that replaced it.
const MARK_EARLIER_RECEIVED = statement(`delete from earlier_calls e using reflection_sessions s
  where e.session_id = $1 and e.provider_conversation_id = $2 and s.session_id = e.session_id
  returning s.reflection_id, s.person_id, s.ingestion`)

const EARLIER_COLUMNS = `e.session_id, e.provider_conversation_id, e.bound_until, exists (
    select from held_calls h where h.session_id = e.session_id
  ) and not exists (
    select from held_calls h where h.provider_conversation_id = e.provider_conversation_id
  ) as is_awaited`

const FIND_EARLIER = statement(`
  select ${EARLIER_COLUMNS} from earlier_calls e where e.provider_conversation_id = $1`)

const LIST_EARLIER_WITHOUT_TRANSCRIPT = statement(`
  select * from (select ${EARLIER_COLUMNS} from earlier_calls e where e.given_up_at is null) as e
  where e.bound_until < $1::timestamptz or e.is_awaited order by e.bound_until limit $2`)

/** Locks the session. An event without its own time has the time of its message. */
const LOCK_IDLE = statement(`select message_count, event_last, greatest(created_at,
    (select coalesce((events -> -1 -> 2 ->> 't')::timestamptz, timestamp) from session_messages
      where session_id = $1 and events is not null order by sequence_number desc limit 1),
    (select (events -> -1 -> 2 ->> 't')::timestamptz from session_events
      where session_id = $1 order by event_last desc limit 1)) as event_at
  from agent_sessions where id = $1 and lease_turn_id is null for update`)

/** As with a turn, the last of the messages stored together has the events. */
const APPEND = statement(`with session as (
    update agent_sessions set message_count = message_count + cardinality($5::integer[]), updated_at = now(),
      title = coalesce(title, nullif($2, '')), event_last = $3::integer, event_reserved = $3
    where id = $1
  )
  insert into session_messages
    (session_id, ${MESSAGE_COLUMNS}, event_last, events)
  select $1, message.*, $3, case when message.sequence_number = $5[cardinality($5)] then $4::json end
  from unnest(${toMessagePlaceholders(5)}) as message (${MESSAGE_COLUMNS})`)

const FIND_SESSION = statement('select from agent_sessions where id = $1')

const GIVE_UP = statement(`with earlier as (
    update earlier_calls set given_up_at = now()
    where session_id = $1 and provider_conversation_id = $2 and bound_until < $4::timestamptz
      and given_up_at is null
  )
  update reflection_sessions set transcript = 'none', status = 'ended', failure = coalesce($3, failure),
    ended_at = coalesce(ended_at, now())
  where session_id = $1 and provider_conversation_id = $2 and transcript = 'pending'
    and bound_at < $4::timestamptz`)

// An off-record session has no stored conversation, so it counts as silent from its start.
const LIST_ABANDONED = statement(`
  select s.session_id from reflection_sessions s left join agent_sessions a on a.id = s.session_id
  where s.status in ('starting', 'active') and s.transcript <> 'pending'
    and (a.status = 'ended' or (a.lease_turn_id is null and coalesce(a.updated_at, s.created_at) < $1::timestamptz))
  order by s.created_at limit $2`)
