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
import { type SessionAccessHost, enterSession, enterToEnd } from './enter-session.ts'
import { type LabelHost, createEndedRecord, toSessionRecord, viewSession } from './list-sessions.ts'
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
  const entered = await enterToEnd(caller, sessionId, host)
  const { row } = entered
  if (entered.session) await host.sessions.end(sessionId)
  if (row) await host.reflectionSessions.end(row)
  await host.reflectionSessions.hangUp([sessionId])
  const before = entered.session ? entered : toSessionRecord(entered.row)
  const now = (await host.store.find(sessionId)) ?? createEndedRecord(caller, before)
  return viewSession(caller, now, row, host)
}

/** Removes a session and the provider's copy of its call. */
export async function removeAnySession(
  caller: StartCaller,
  sessionId: SessionId,
  host: ChangeHost,
  signal: AbortSignal,
): Promise<void> {
  await enterSession(caller, sessionId, 'remove', host)
  await host.sessions.remove(sessionId)
  // Read again: the transcript may have been stored meanwhile.
  const row = await host.sessionRows.find(sessionId)
  if (row) await host.reflectionSessions.remove(row, signal)
  await host.audit.record(caller.personId, 'session_removed', sessionId, row?.reflectionId)
}

/** Starts a copy of a session. A session with a reflection must name another agent. */
export async function forkAnySession(
  caller: StartCaller,
  sessionId: SessionId,
  named: Pick<StartSession, 'agent' | 'agentId'>,
  host: ChangeHost & AgentCatalog,
): Promise<SessionView> {
  const { session: past, row } = await enterSession(caller, sessionId, 'fork', host)
  const isNamed = named.agent !== undefined || named.agentId !== undefined
  if (!isNamed && row) {
    // Its agent holds the prompt of just this session.
    throw new PlatformError('validation', {
      message:
        'The agent of a reflection is made for one session. Name another by agentId, or start a new session with reflectionId.',
    })
  }
  const agent = isNamed ? chooseAgent(named, caller, host) : past.agentSnapshot
  const session = row
    ? await host.reflectionSessions.fork(row, agent)
    : await host.sessions.fork(sessionId, { ownerId: caller.personId, agent })
  return toSessionView({ session, lastSequence: 1 }, { mayWrite: true })
}

/** A session as a workflow file: the same bytes as from a terminal. */
export async function exportAnySession(
  caller: StartCaller,
  sessionId: SessionId,
  host: ChangeHost,
): Promise<Awaited<ReturnType<Sessions['exportSession']>>> {
  const { row } = await enterSession(caller, sessionId, 'export', host)
  const agent = (await mayExportAgent(caller, row, host)) ? 'with-agent' : 'without-agent'
  const exported = await host.sessions.exportSession(sessionId, agent)
  await host.audit.record(caller.personId, 'session_exported', sessionId, row?.reflectionId)
  return exported
}

/** Whether an export may include the agent: a reflection's agent holds its private prompt, which only its admins read. */
async function mayExportAgent(
  { personId }: Pick<StartCaller, 'personId'>,
  row: ReflectionSession | undefined,
  { findReflectionRole }: Pick<SessionAccessHost, 'findReflectionRole'>,
): Promise<boolean> {
  if (!row) return true
  const role = await findReflectionRole(row.reflectionId, personId)
  return role !== undefined && isAtLeast(role, 'admin')
}
