import type { CallSummary, SessionEvent, SessionId, TurnPage, TurnSummary } from '@parley/contracts'
import type { SessionStore, StoredEvent } from '../ports/session-store.ts'
import { firstNumberOf, isText } from './in-flight.ts'
import type { RunEventBus } from './run-event-bus.ts'
import { replay } from './stored-event.ts'

/**
 * A session's events after `after`, then those to come, until the signal is aborted. A reader that falls behind, or
 * misses a number, is taken back to the store and loses nothing; the text of a running step then comes joined.
 */
export async function* readEvents(
  { sessionId, after, signal }: { sessionId: SessionId; after: number; signal: AbortSignal },
  { store, hub }: { store: SessionStore; hub: RunEventBus },
): AsyncGenerator<SessionEvent> {
  let seen = after
  let triedAfter: number | undefined
  const reader = hub.attach(sessionId)
  try {
    while (!signal.aborted) {
      // What the running step says is taken before the store is read, so that no step falls between the two.
      const inFlight = reader.restart()
      for await (const event of replay(store, sessionId, seen)) {
        yield event
        seen = event.sequenceNumber
      }
      for (const event of inFlight) {
        if (placeOf(event, seen) !== 'next') continue
        yield event
        seen = event.sequenceNumber
      }
      for (;;) {
        const event = await reader.next(signal)
        if (event === undefined) return
        if (event === 'lagged') break
        const place = placeOf(event, seen)
        if (place === 'beyond') {
          // Text comes into the store at the end of its step: it is looked for there once.
          if (isText(event) && seen === triedAfter) continue
          triedAfter = seen
          break
        }
        if (place === 'seen') continue
        yield event
        seen = event.sequenceNumber
      }
    }
  } finally {
    reader.detach()
  }
}

/** Where an event stands for a reader that has seen everything up to a number: beyond its next, something is missing. */
function placeOf(event: SessionEvent, seen: number): 'seen' | 'next' | 'beyond' {
  if (event.sequenceNumber <= seen) return 'seen'
  return firstNumberOf(event) <= seen + 1 ? 'next' : 'beyond'
}

const EVENTS_AT_ONCE = 500
/** A page has about as many events, and never less than a whole turn. */
const PAGE_EVENTS = 4_000

/** What is known of the turns whose events come after a number, whole turns at a time; the last may still be open. */
export async function readTurns(
  store: Pick<SessionStore, 'readEvents'>,
  sessionId: SessionId,
  after: number,
): Promise<TurnPage> {
  const events: StoredEvent[] = []
  for (;;) {
    const seen = events.at(-1)?.sequenceNumber ?? after
    const read = await store.readEvents(sessionId, { after: seen, limit: EVENTS_AT_ONCE })
    events.push(...read)
    const end = events.findLast(({ body }) => body.type === 'session:turn_completed')
    const nextAfter = end?.sequenceNumber ?? after
    if (read.length < EVENTS_AT_ONCE) return { items: [...summariseTurns(events)], nextAfter }
    if (events.length < PAGE_EVENTS || !end) continue
    const whole = events.filter(({ sequenceNumber }) => sequenceNumber <= nextAfter)
    return { items: [...summariseTurns(whole)], nextAfter, more: true }
  }
}

/** What stored events say of turns. One that began before the first of them is left out. */
function summariseTurns(events: readonly StoredEvent[]): readonly TurnSummary[] {
  const turns = new Map<string, TurnSummary>()
  for (const event of events) {
    const { turnId } = event.body
    if (typeof turnId !== 'string') continue
    const turn = event.body.type === 'session:turn_started' ? opened(event) : turns.get(turnId)
    if (turn) turns.set(turnId, CHANGES[event.body.type]?.(turn, event) ?? turn)
  }
  return [...turns.values()]
}

/** An event's body is as it was told, but for what its message holds. */
const opened = ({ body, of, timestamp }: StoredEvent): TurnSummary => ({
  turnId: body['turnId'] as TurnSummary['turnId'],
  question: of?.message ?? 1,
  startedAt: timestamp,
  calls: [],
})

type Change = (turn: TurnSummary, event: StoredEvent) => TurnSummary

/** What an event adds to what is known of its turn; the others add nothing. */
const CHANGES: Partial<Record<StoredEvent['body']['type'], Change>> = {
  'agent:token': (turn, { body }) => ({ ...turn, model: body['model'] as string }),
  'cost:updated': (turn, { body }) => ({ ...turn, totalMicrocents: body['totalMicrocents'] as number }),
  'session:turn_completed': (turn, { body, timestamp }) => {
    const { stopReason, usage } = body as Pick<TurnSummary, 'stopReason' | 'usage'>
    return { ...turn, endedAt: timestamp, stopReason, usage }
  },
  'agent:tool_call': (turn, { body, timestamp }) => {
    const callId = body['callId'] as CallSummary['callId']
    return { ...turn, calls: [...turn.calls, { callId, askedAt: timestamp }] }
  },
  'agent:tool_decided': (turn, { body, timestamp }) => {
    const { verdict, by, reason } = body as Partial<CallSummary>
    const why = reason === undefined ? {} : { reason }
    return inCall(turn, body['callId'], { verdict, by, decidedAt: timestamp, ...why })
  },
  'agent:tool_result': (turn, { body, timestamp }) => inCall(turn, body['callId'], { endedAt: timestamp }),
}

/** Some providers give one id to several calls, one after another: the first that has no end is meant. */
function inCall(turn: TurnSummary, callId: unknown, known: Partial<CallSummary>): TurnSummary {
  const at = turn.calls.findIndex((call) => call.callId === callId && call.endedAt === undefined)
  const call = turn.calls[at]
  return call ? { ...turn, calls: turn.calls.with(at, { ...call, ...known }) } : turn
}
