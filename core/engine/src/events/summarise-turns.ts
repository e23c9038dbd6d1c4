import type { CallSummary, TurnSummary } from '@parley/contracts'
import type { StoredEvent } from '../ports/session-store.ts'

/** What stored events say of turns. One that began before the first of them is left out. */
export function summariseTurns(events: readonly StoredEvent[]): readonly TurnSummary[] {
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
