import {
  CONVERSATIONS,
  type MessageId,
  type PersonId,
  PlatformError,
  type ReflectionId,
  type SessionId,
  type SessionMessage,
} from '@parley/contracts'
import { eventsOfCall, packEvents } from '@parley/engine'
import type { EarlierCall, TranscriptMessage, TranscriptSource, TranscriptStore } from '@parley/voice'
import { newId } from '../knowledge/new-id.ts'
import { sources } from '../knowledge/sources.ts'
import type { StoreHost } from '../knowledge/store-host.ts'
import type { Run } from '../queries.ts'

/** The media type of session transcripts. */
const TRANSCRIPT = 'application/vnd.parley.transcript+json'

/** What was said in sessions with reflections, through the login of `parley_serving`. */
export function postgresTranscriptStore({ run, transact, jobs }: StoreHost): TranscriptStore {
  const handIn = async (within: Run, row: SettledRow, { title, text }: TranscriptSource) => {
    const { addSource } = sources({ run: within, transact: (work) => work(within), jobs })
    const source = { title, namespace: CONVERSATIONS, bytes: Buffer.from(text), mediaType: TRANSCRIPT }
    await addSource(row.reflection_id, source, row.person_id)
  }

  return {
    take: ({ sessionId, providerConversationId, messages, title, source }) =>
      transact(async (within) => {
        const call = [sessionId, providerConversationId]
        const [bound] = await within<SettledRow>(SETTLE, call)
        const [row] = bound ? [bound] : await within<SettledRow>(SETTLE_EARLIER, call)
        if (!row) return 'taken-before'
        if (row.ingestion === 'off-record') return 'taken'
        const [idle] = await within<IdleRow>(LOCK_IDLE, [sessionId])
        if (!idle) return whyNotAppended(within, sessionId)
        await within(APPEND, [sessionId, title, ...appended(sessionId, messages, idle)])
        if (source) await handIn(within, row, source)
        return 'taken'
      }),

    async giveUp({ sessionId, providerConversationId }, { boundBefore, failure }) {
      await run(GIVE_UP, [sessionId, providerConversationId, failure ?? null, boundBefore])
    },

    async findEarlier(providerConversationId) {
      const [row] = await run<EarlierRow>(FIND_EARLIER, [providerConversationId])
      return row && toEarlier(row)
    },

    async earlierUnheard(before, limit) {
      return (await run<EarlierRow>(EARLIER_UNHEARD, [before, limit])).map(toEarlier)
    },

    close: (sessionId, source) =>
      transact(async (within) => {
        const [row] = await within<SettledRow>(CLOSE, [sessionId])
        if (row && source) await handIn(within, row, source)
        return row !== undefined
      }),

    async leftOpen(silentSince, limit) {
      const rows = await run<{ session_id: SessionId }>(LEFT_OPEN, [silentSince, limit])
      return rows.map((row) => row.session_id)
    },

    // A transaction that has only asked for a lock holds nothing else back, however long it stays open.
    alone: (work) =>
      transact(async (within) => {
        const [claim] = await within<{ is_ours: boolean }>(CLAIM)
        if (!claim?.is_ours) return 'busy'
        await work()
        return 'done'
      }),
  }
}

interface SettledRow {
  readonly reflection_id: ReflectionId
  readonly person_id: PersonId
  readonly ingestion: 'ingest' | 'keep-only' | 'off-record'
}

interface IdleRow {
  readonly message_count: number
  readonly event_last: number
  /** When the last event was. */
  readonly event_at: Date
}

interface EarlierRow {
  readonly session_id: SessionId
  readonly provider_conversation_id: string
  readonly bound_until: Date
}

const toEarlier = (row: EarlierRow): EarlierCall => ({
  sessionId: row.session_id,
  providerConversationId: row.provider_conversation_id,
  boundUntil: row.bound_until.toISOString(),
})

/** Nothing was there to append to, or a turn is open, after which it is to be tried again. */
async function whyNotAppended(within: Run, sessionId: SessionId): Promise<'gone'> {
  const there = await within(IS_THERE, [sessionId])
  if (there.length === 0) return 'gone'
  throw new PlatformError('session_busy', { sessionId })
}

/** The messages as they follow those that are there, and the events that tell of them. */
function appended(
  sessionId: SessionId,
  messages: readonly TranscriptMessage[],
  { message_count, event_last, event_at }: IdleRow,
): readonly unknown[] {
  const placed = messages.map((message, index): SessionMessage => ({
    ...message,
    id: newId('msg_') as MessageId,
    sessionId,
    sequenceNumber: message_count + index + 1,
  }))
  const events = eventsOfCall(placed, { sequenceNumber: event_last, timestamp: event_at.toISOString() })
  return [
    placed.map(({ sequenceNumber }) => sequenceNumber),
    placed.map(({ id }) => id),
    placed.map(({ role }) => role),
    placed.map(({ content }) => JSON.stringify(content)),
    placed.map(({ cutShort }) => cutShort ?? null),
    placed.map(({ timestamp }) => timestamp),
    events.at(-1)?.sequenceNumber ?? event_last,
    packEvents(events, placed.at(-1)),
  ]
}

// What was off the record is over with its call; any other session may go on as text.
const SETTLE = {
  name: 'settle_transcript',
  text: `update reflection_sessions set transcript = 'stored',
      status = case when ingestion = 'off-record' then 'ended' else status end,
      ended_at = case when ingestion = 'off-record' then coalesce(ended_at, now()) else ended_at end
    where session_id = $1 and provider_conversation_id = $2 and transcript = 'pending'
    returning reflection_id, person_id, ingestion`,
}

// The session goes on in the call that took its place.
const SETTLE_EARLIER = {
  name: 'settle_earlier_call',
  text: `delete from earlier_calls e using reflection_sessions s
    where e.session_id = $1 and e.provider_conversation_id = $2 and s.session_id = e.session_id
    returning s.reflection_id, s.person_id, s.ingestion`,
}

const FIND_EARLIER = {
  name: 'find_earlier_call',
  text: 'select * from earlier_calls where provider_conversation_id = $1',
}

const EARLIER_UNHEARD = {
  name: 'earlier_calls_unheard',
  text: 'select * from earlier_calls where bound_until < $1::timestamptz order by bound_until limit $2',
}

/** Until it is done nobody else writes to it. An event without a time of its own has that of its message. */
const LOCK_IDLE = {
  name: 'lock_idle_session',
  text: `select message_count, event_last, greatest(created_at,
      (select coalesce((events -> -1 -> 2 ->> 't')::timestamptz, timestamp) from session_messages
        where session_id = $1 and events is not null order by sequence_number desc limit 1),
      (select (events -> -1 -> 2 ->> 't')::timestamptz from session_events
        where session_id = $1 order by event_last desc limit 1)) as event_at
    from agent_sessions where id = $1 and lease_turn_id is null for update`,
}

/** As with a turn, the last of the messages that are stored together holds the events. */
const APPEND = {
  name: 'append_transcript',
  text: `with session as (
      update agent_sessions set message_count = message_count + cardinality($3::integer[]), updated_at = now(),
        title = coalesce(title, nullif($2, '')), event_last = $9::integer, event_reserved = $9
      where id = $1
    )
    insert into session_messages
      (session_id, sequence_number, id, role, content, cut_short, timestamp, event_last, events)
    select $1, said.*, $9, case when said.number = $3[cardinality($3)] then $10::json end
    from unnest($3, $4::text[], $5::text[], $6::json[], $7::text[], $8::timestamptz[])
      as said (number, id, role, content, cut_short, timestamp)`,
}

const IS_THERE = { name: 'is_session_there', text: 'select from agent_sessions where id = $1' }

const GIVE_UP = {
  name: 'give_up_transcript',
  text: `with earlier as (
      delete from earlier_calls
      where session_id = $1 and provider_conversation_id = $2 and bound_until < $4::timestamptz
    )
    update reflection_sessions set transcript = 'none', status = 'ended', failure = coalesce($3, failure),
      ended_at = coalesce(ended_at, now())
    where session_id = $1 and provider_conversation_id = $2 and transcript = 'pending'
      and bound_at < $4::timestamptz`,
}

const CLOSE = {
  name: 'close_reflection_session',
  text: `update reflection_sessions set status = 'ended', ended_at = now()
    where session_id = $1 and status in ('starting', 'active')
    returning reflection_id, person_id, ingestion`,
}

// What is off the record has no conversation with us, and is silent from its start.
const LEFT_OPEN = {
  name: 'reflection_sessions_left_open',
  text: `select s.session_id from reflection_sessions s left join agent_sessions a on a.id = s.session_id
    where s.status in ('starting', 'active') and s.transcript <> 'pending'
      and (a.status = 'ended' or (a.lease_turn_id is null and coalesce(a.updated_at, s.created_at) < $1::timestamptz))
    order by s.created_at limit $2`,
}

const CLAIM = {
  name: 'claim_transcripts',
  text: `select pg_try_advisory_xact_lock(hashtext('parley: transcripts')) as is_ours`,
}
