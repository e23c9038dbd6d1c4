import { PlatformError, type SessionId } from '@parley/contracts'
import { mayEnterSession, type SessionUse, type SessionRoleHost } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'

type Host = Pick<Services, 'reflectionSessions' | 'offRecord' | 'store'> & SessionRoleHost

/** For what needs a session that is kept: one off the record is not, in whatever process it is or was. */
export async function refuseOffRecord(
  caller: Caller,
  sessionId: SessionId,
  use: SessionUse,
  host: Host,
): Promise<void> {
  if (!(await isOffRecordTo(caller, sessionId, use, host))) return
  throw new PlatformError('off_record', {
    sessionId,
    message:
      'This session is off the record: nothing of it is kept that could be resumed, forked or exported.',
  })
}

/** To who may enter it; to anybody else it is as if it did not exist. */
async function isOffRecordTo(
  caller: Caller,
  sessionId: SessionId,
  use: SessionUse,
  host: Host,
): Promise<boolean> {
  if (host.offRecord.holds(sessionId, 'agent')) {
    const record = await host.store.find(sessionId)
    return record?.session.ownerId === caller.personId
  }
  const session = await host.reflectionSessions.find(sessionId)
  return session?.ingestion === 'off-record' && mayEnterSession(caller, session, use, host)
}
