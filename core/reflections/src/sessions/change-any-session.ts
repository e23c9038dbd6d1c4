import {
  type PersonId,
  PlatformError,
  type ReflectionId,
  type SessionId,
  type SessionView,
  type StartSession,
  isAtLeast,
} from '@parley/contracts'
import { type SessionStore, type Sessions, toSessionView } from '@parley/engine'
import type { ReflectionSessions } from './reflection-sessions.ts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import { type SessionAccessHost, enterSession, refuseOffRecord } from './enter-session.ts'
import { type LabelHost, createEndedRecord, findUnrecordedSession, viewSession } from './list-sessions.ts'
import { refuseBeyondReach, refuseWithoutTranscript } from './refuse-session.ts'
import { type AgentCatalog, type StartCaller, chooseAgent } from './start-any-session.ts'

interface ChangeHost extends SessionAccessHost, LabelHost {
  readonly store: Pick<SessionStore, 'find'>
  readonly sessions: Pick<Sessions, 'end' | 'remove' | 'fork' | 'exportSession'>
  readonly reflectionSessions: Pick<ReflectionSessions, 'end' | 'remove' | 'fork' | 'hangUp'>
  readonly audit: {
    record(
      by: PersonId,
      what: 'session_exported' | 'session_removed',
      target: string,
      reflectionId?: ReflectionId,
    ): Promise<void>
  }
}

/** Ends a session, with its call if it has one. */
export async function endAnySession(
  caller: StartCaller,
  sessionId: SessionId,
  host: ChangeHost,
): Promise<SessionView> {
  const unrecorded = await findUnrecordedSession(caller, sessionId, host)
  const record = unrecorded ?? (await enterSession(caller, sessionId, 'end', host))
  if (!unrecorded) await host.sessions.end(sessionId)
  const row = await host.sessionRows.find(sessionId)
  if (row) await host.reflectionSessions.end(row)
  await host.reflectionSessions.hangUp([sessionId])
  const now = (await host.store.find(sessionId)) ?? createEndedRecord(caller, record)
  return viewSession(caller, now, row, host)
}

/** Removes a session and the provider's copy of its call. */
export async function removeAnySession(
  caller: StartCaller,
  sessionId: SessionId,
  host: ChangeHost,
  signal: AbortSignal,
): Promise<void> {
  await enterSession(caller, sessionId, 'end', host)
  await host.sessions.remove(sessionId)
  const row = await host.sessionRows.find(sessionId)
  if (row) await host.reflectionSessions.remove(row, signal)
  await host.audit.record(caller.personId, 'session_removed', sessionId, row?.reflectionId)
}

/** Continues the past of a session with another agent, or with its own one if it has no reflection. */
export async function forkAnySession(
  caller: StartCaller,
  sessionId: SessionId,
  named: Pick<StartSession, 'agent' | 'agentId'>,
  host: ChangeHost & AgentCatalog & Parameters<typeof refuseWithoutTranscript>[1],
): Promise<SessionView> {
  await refuseOffRecord(caller, sessionId, 'speak', host)
  const { session: past, withReflection } = await enterSession(caller, sessionId, 'speak', host)
  await refuseWithoutTranscript(past, host)
  await refuseBeyondReach(withReflection, host)
  const isNamed = named.agent !== undefined || named.agentId !== undefined
  if (!isNamed && withReflection) {
    // Its agent holds the prompt of just this session.
    throw new PlatformError('validation', {
      message:
        'The agent of a reflection is made for one session. Name another by agentId, or start a new session with reflectionId.',
    })
  }
  const agent = isNamed ? chooseAgent(named, caller, host) : past.agentSnapshot
  const session = withReflection
    ? await host.reflectionSessions.fork(withReflection, agent)
    : await host.sessions.fork(sessionId, { ownerId: caller.personId, agent })
  return toSessionView({ session, lastSequence: 1 }, { mayWrite: true })
}

/** A session as a workflow file: the same bytes as from a terminal. */
export async function exportAnySession(
  caller: StartCaller,
  sessionId: SessionId,
  host: ChangeHost & Parameters<typeof refuseWithoutTranscript>[1],
): Promise<Awaited<ReturnType<Sessions['exportSession']>>> {
  await refuseOffRecord(caller, sessionId, 'read', host)
  const { session, withReflection } = await enterSession(caller, sessionId, 'read', host)
  await refuseWithoutTranscript(session, host)
  const agent = (await mayExportAgent(caller, withReflection, host)) ? 'with-agent' : 'without-agent'
  const exported = await host.sessions.exportSession(sessionId, agent)
  await host.audit.record(caller.personId, 'session_exported', sessionId, withReflection?.reflectionId)
  return exported
}

/** Whether an export may include the agent: a reflection's agent holds its private prompt, which only its admins read. */
async function mayExportAgent(
  { personId }: Pick<StartCaller, 'personId'>,
  session: ReflectionSession | undefined,
  { findReflectionRole }: Pick<SessionAccessHost, 'findReflectionRole'>,
): Promise<boolean> {
  if (!session) return true
  const role = await findReflectionRole(session.reflectionId, personId)
  return role !== undefined && isAtLeast(role, 'admin')
}
