import type { ToolCallSummary, SessionEvent, SessionId, TurnPage, TurnSummary } from '@parley/contracts'
import type { SessionStore, StoredEvent } from '../ports/session-store.ts'
import { getFirstNumber, isStreamedEvent } from './step-text.ts'
import type { RunEventBus } from './run-event-bus.ts'
import { replayEvents } from './stored-event.ts'

/**
 * A session's stored events after `after`, then new ones, until the signal is aborted. A reader that lags or misses a
 * number rereads from the store and loses nothing; the text of a running step then comes joined.
 */
export async function* readEvents(
  { sessionId, after, signal }: { sessionId: SessionId; after: number; signal: AbortSignal },
  { store, eventBus }: { store: SessionStore; eventBus: RunEventBus },
): AsyncGenerator<SessionEvent> {
  let seen = after
  let triedAfter: number | undefined
  const reader = eventBus.attach(sessionId)
  try {
    while (!signal.aborted) {
      // The running step is read before the store, so no step is missed between the two.
      const stepText = reader.catchUp()
      for await (const event of replayEvents(store, sessionId, seen)) {
        yield event
        seen = event.sequenceNumber
      }
      for (const event of stepText) {
        if (compareWithSeen(event, seen) !== 'next') continue
        yield event
        seen = event.sequenceNumber
      }
      for (;;) {
        const event = await reader.next(signal)
        if (event === undefined) return
        if (event === 'lagged') break
        const place = compareWithSeen(event, seen)
        if (place === 'beyond') {
          // Text is stored at the end of its step, so the store is checked once.
          if (isStreamedEvent(event) && seen === triedAfter) continue
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

/** How an event relates to a reader's last number; `beyond` the next number means that events are missing. */
function compareWithSeen(event: SessionEvent, seen: number): 'seen' | 'next' | 'beyond' {
  if (event.sequenceNumber <= seen) return 'seen'
  return getFirstNumber(event) <= seen + 1 ? 'next' : 'beyond'
}

const EVENTS_AT_ONCE = 500
/** A page has about this many events, and always whole turns. */
const PAGE_EVENTS = 4_000

/** The turns whose events come after a number, in whole turns; the last may still be open. */
export async function readTurnPage(
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

/** The turns of stored events. A turn that began before the first event is left out. */
function summariseTurns(events: readonly StoredEvent[]): readonly TurnSummary[] {
  const turns = new Map<string, TurnSummary>()
  for (const event of events) {
    const { turnId } = event.body
    if (typeof turnId !== 'string') continue
    const turn = event.body.type === 'session:turn_started' ? createTurnSummary(event) : turns.get(turnId)
    if (turn) turns.set(turnId, SUMMARY_CHANGES[event.body.type]?.(turn, event) ?? turn)
  }
  return [...turns.values()]
}

/** A stored body is the event without its message's content. */
const createTurnSummary = ({ body, messageRef, timestamp }: StoredEvent): TurnSummary => ({
  turnId: body['turnId'] as TurnSummary['turnId'],
  question: messageRef?.message ?? 1,
  startedAt: timestamp,
  calls: [],
})

type SummaryChange = (turn: TurnSummary, event: StoredEvent) => TurnSummary

/** The events that add something to their turn's record; others are ignored. */
const SUMMARY_CHANGES: Partial<Record<StoredEvent['body']['type'], SummaryChange>> = {
  'agent:token': (turn, { body }) => ({ ...turn, model: body['model'] as string }),
  'cost:updated': (turn, { body }) => ({ ...turn, totalMicrocents: body['totalMicrocents'] as number }),
  'session:turn_completed': (turn, { body, timestamp }) => {
    const { stopReason, usage } = body as Pick<TurnSummary, 'stopReason' | 'usage'>
    return { ...turn, endedAt: timestamp, stopReason, usage }
  },
  'agent:tool_call': (turn, { body, timestamp }) => {
    const callId = body['callId'] as ToolCallSummary['callId']
    return { ...turn, calls: [...turn.calls, { callId, askedAt: timestamp }] }
  },
  'agent:tool_decided': (turn, { body, timestamp }) => {
    const { verdict, by, reason } = body as Partial<ToolCallSummary>
    return updateCall(turn, body['callId'], {
      verdict,
      by,
      decidedAt: timestamp,
      ...(reason !== undefined && { reason }),
    })
  },
  'agent:tool_result': (turn, { body, timestamp }) =>
    updateCall(turn, body['callId'], { endedAt: timestamp }),
}

/** Some providers reuse an id for several calls: the change is for the first one without an end. */
function updateCall(turn: TurnSummary, callId: unknown, changes: Partial<ToolCallSummary>): TurnSummary {
  const at = turn.calls.findIndex((call) => call.callId === callId && call.endedAt === undefined)
  const call = turn.calls[at]
  return call ? { ...turn, calls: turn.calls.with(at, { ...call, ...changes }) } : turn
}
