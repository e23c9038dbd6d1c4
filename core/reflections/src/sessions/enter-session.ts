import { type PersonId, PlatformError, type Role, type SessionId } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore } from '@parley/engine'
import { mayEnter, mayEnterSession, type SessionUse } from '../access/may-enter.ts'
import type { SessionRoleHost } from '../access/session-role.ts'
import type { ReflectionSession, ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { OffRecord } from './off-record.ts'
import { refuseOutdated, refuseWithoutTranscript } from './refuse-session.ts'

/** A person who wants to read, continue or end a session. */
export interface SessionCaller {
  readonly personId: PersonId
  /** Their role on the server. */
  readonly role: Role
}

export interface SessionAccessHost extends SessionRoleHost {
  readonly store: Pick<SessionStore, 'find'>
  readonly offRecord: Pick<OffRecord, 'holds'>
  readonly sessionRows: Pick<ReflectionSessionStore, 'find'>
}

export interface EnteredSession extends AgentSessionRecord {
  /** Set for a session with a reflection. */
  readonly withReflection?: ReflectionSession
  /** For a session with a reflection: whether the caller still has the access that they entered with. */
  readonly mayStay?: () => Promise<boolean>
}

/** The session, if `mayEnter` gives the caller this access; otherwise it does not exist for them. */
export async function enterSession(
  caller: SessionCaller,
  sessionId: SessionId,
  use: SessionUse,
  host: SessionAccessHost,
): Promise<EnteredSession> {
  const { store, offRecord, sessionRows } = host
  const [record, session] = await Promise.all([store.find(sessionId), sessionRows.find(sessionId)])
  if (!record) throw createNoSessionError(sessionId)
  if (session) {
    const mayStay = () => mayEnterSession(caller, session, use, host)
    if (await mayStay()) return { ...record, withReflection: session, mayStay }
    throw createNoSessionError(sessionId)
  }
  const isOffRecord = offRecord.holds(sessionId, 'agent')
  const withAgent = { personId: record.session.ownerId, partner: 'agent' as const, isOffRecord }
  // An off-record session of a removed reflection may still be in the memory of this process.
  if (mayEnter(caller, withAgent, use) && !offRecord.holds(sessionId, 'reflection')) return record
  throw createNoSessionError(sessionId)
}

/** The session of somebody who sends a message or resumes. Throws while a transcript is missing, and for an outdated prompt. */
export async function enterToSpeak(
  caller: SessionCaller,
  sessionId: SessionId,
  host: SessionAccessHost & Parameters<typeof refuseWithoutTranscript>[1],
): Promise<EnteredSession> {
  const entered = await enterSession(caller, sessionId, 'speak', host)
  await refuseWithoutTranscript(entered.session, host)
  await refuseOutdated(entered.withReflection, host)
  return entered
}

const createNoSessionError = (sessionId: SessionId) =>
  new PlatformError('session_not_found', { sessionId, message: `There is no session ${sessionId}.` })

/** Throws for an off-record session that the caller may enter, in any process, since nothing of it is stored. */
export async function refuseOffRecord(
  caller: SessionCaller,
  sessionId: SessionId,
  use: SessionUse,
  host: SessionAccessHost,
): Promise<void> {
  if (!(await isOwnOffRecord(caller, sessionId, use, host))) return
  throw new PlatformError('off_record', {
    sessionId,
    message: 'This session is off the record: nothing is stored that could be resumed, forked or exported.',
  })
}

async function isOwnOffRecord(
  caller: SessionCaller,
  sessionId: SessionId,
  use: SessionUse,
  host: SessionAccessHost,
): Promise<boolean> {
  if (host.offRecord.holds(sessionId, 'agent')) {
    const record = await host.store.find(sessionId)
    return record?.session.ownerId === caller.personId
  }
  const session = await host.sessionRows.find(sessionId)
  return session?.ingestion === 'off-record' && mayEnterSession(caller, session, use, host)
}

/** A session with a reflection that the person may join. An off-record call has only its row, so just that is read. */
export async function enterCall(
  caller: SessionCaller,
  sessionId: SessionId,
  host: SessionRoleHost & Pick<SessionAccessHost, 'sessionRows'>,
) {
  const session = await host.sessionRows.find(sessionId)
  const mayJoin = session && (await mayEnterSession(caller, session, 'speak', host))
  const reflection = mayJoin && (await host.reflections.find(session.reflectionId))
  if (reflection) return { session, reflection }
  throw new PlatformError('session_not_found', {
    sessionId,
    message: `You have no session ${sessionId}.`,
  })
}
