import { PlatformError, type SessionId } from '@parley/contracts'
import type { AgentSessionRecord } from '@parley/engine'
import {
  type ReflectionSession,
  type SessionRoleHost,
  type SessionUse,
  isAtLeast,
  mayEnterSession,
} from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'

type Host = Pick<Services, 'store' | 'offRecord' | 'reflectionSessions'> & SessionRoleHost

export interface EnteredSession extends AgentSessionRecord {
  /** Of one with a reflection. */
  readonly withReflection?: ReflectionSession
  /** Of one with a reflection: whether the caller may still do what they came for. */
  readonly mayStay?: () => Promise<boolean>
}

/**
 * The session, if the caller may do this to it; otherwise it is as if it did not exist. One with a reflection is by its
 * own table; any other is for its own person and for admins, who do no more than end one that is off the record.
 */
export async function sessionFor(
  caller: Caller,
  sessionId: SessionId,
  use: SessionUse,
  host: Host,
): Promise<EnteredSession> {
  const { store, offRecord, reflectionSessions } = host
  const [record, session] = await Promise.all([store.find(sessionId), reflectionSessions.find(sessionId)])
  if (!record) throw noSession(sessionId)
  if (session) {
    const mayStay = () => mayEnterSession(caller, session, use, host)
    if (await mayStay()) return { ...record, withReflection: session, mayStay }
    throw noSession(sessionId)
  }
  const mayOversee =
    isAtLeast(caller.role, 'admin') && (use === 'end' || !offRecord.holds(sessionId, 'agent'))
  const isTheirs = record.session.ownerId === caller.personId || mayOversee
  // One off the record whose reflection is gone is in the memory of this process still.
  if (isTheirs && !offRecord.holds(sessionId, 'reflection')) return record
  throw noSession(sessionId)
}

const noSession = (sessionId: SessionId) =>
  new PlatformError('session_not_found', { sessionId, message: `There is no session ${sessionId}.` })

type OffRecordRefusalHost = Pick<Services, 'reflectionSessions' | 'offRecord' | 'store'> & SessionRoleHost

/** For what needs a session that is kept: one off the record is not, in whatever process it is or was. */
export async function refuseOffRecord(
  caller: Caller,
  sessionId: SessionId,
  use: SessionUse,
  host: OffRecordRefusalHost,
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
  host: OffRecordRefusalHost,
): Promise<boolean> {
  if (host.offRecord.holds(sessionId, 'agent')) {
    const record = await host.store.find(sessionId)
    return record?.session.ownerId === caller.personId
  }
  const session = await host.reflectionSessions.find(sessionId)
  return session?.ingestion === 'off-record' && mayEnterSession(caller, session, use, host)
}
