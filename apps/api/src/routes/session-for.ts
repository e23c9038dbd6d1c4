import { PlatformError, type SessionId } from '@parley/contracts'
import type { SessionRecord, SessionStore } from '@parley/engine'
import type { Caller } from '../auth/authenticate.ts'

/** The session, if it is the caller's own or the caller is an admin; otherwise it is as if it did not exist. */
export async function sessionFor(
  caller: Caller,
  sessionId: SessionId,
  store: SessionStore,
): Promise<SessionRecord> {
  const record = await store.find(sessionId)
  const isTheirs =
    record?.session.ownerId === caller.personId || caller.role === 'owner' || caller.role === 'admin'
  if (record && isTheirs) return record
  throw new PlatformError('session_not_found', { sessionId, message: `There is no session ${sessionId}.` })
}
