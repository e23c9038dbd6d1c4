import { Usage } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore } from '@parley/engine'

/** How many numbers of events are looked back through. */
const BACK = 100

/** What the last turn of a session took, if it is among its last events. */
export async function lastUsage(
  { session, lastSequence }: AgentSessionRecord,
  store: SessionStore,
): Promise<Usage | undefined> {
  const after = Math.max(0, lastSequence - BACK)
  const events = await store.readEvents(session.id, { after, limit: BACK })
  const last = events.findLast(({ body }) => body.type === 'session:turn_completed')
  return Usage.safeParse(last?.body['usage']).data
}
