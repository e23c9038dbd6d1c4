import { type Agent, type AgentSession, PlatformError } from '@parley/contracts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import type { ReflectionSessionsHost } from './sessions-host.ts'

/** Nothing is learned from a fork: its past belongs to another session. */
export async function forkSession(
  past: ReflectionSession,
  agent: Agent,
  {
    sessions,
    store,
    reflectionSessions,
    newSessionId,
  }: Pick<ReflectionSessionsHost, 'sessions' | 'store' | 'reflectionSessions' | 'newSessionId'>,
): Promise<AgentSession> {
  const { reflectionId, personId, mode, sessionAudience, surface, role, namespaces, isNarrowed } = past
  const id = newSessionId()
  const settled = { mode, sessionAudience, surface, role, namespaces, ingestion: 'keep-only' as const }
  const row = { sessionId: id, reflectionId, personId, ...settled, ...(isNarrowed && { isNarrowed }) }
  // The row comes first: if the process dies in between, the sweep of overdue starts removes both.
  await reflectionSessions.open({ ...row, channel: 'text', status: 'starting' })
  try {
    const session = await sessions.fork(past.sessionId, { id, ownerId: personId, agent })
    if (await reflectionSessions.activate(id)) return session
    throw new PlatformError('session_ended', { message: 'The reflection was removed while this was forked.' })
  } catch (failure) {
    await reflectionSessions.fail(id, failure instanceof PlatformError ? failure.code : 'internal')
    if (await store.find(id)) await sessions.remove(id)
    throw failure
  }
}
