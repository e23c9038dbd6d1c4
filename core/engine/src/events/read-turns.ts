import type { SessionId, TurnPage } from '@parley/contracts'
import type { SessionStore, StoredEvent } from '../ports/session-store.ts'
import { summariseTurns } from './summarise-turns.ts'

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
