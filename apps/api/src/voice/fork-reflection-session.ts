import { randomFillSync } from 'node:crypto'
import { type Agent, type AgentSession, PlatformError } from '@parley/contracts'
import { createIdSource } from '@parley/engine'
import type { ReflectionSession } from '@parley/reflections'
import type { Services } from '../services.ts'

/**
 * A fork holds what its session was told, so it is one with the same reflection: who may enter it is by the same table, and
 * it goes with the reflection. Nothing is learned from it, since its past is another's.
 */
export async function forkReflectionSession(
  past: ReflectionSession,
  agent: Agent,
  { sessions, store, reflectionSessions }: Pick<Services, 'sessions' | 'store' | 'reflectionSessions'>,
): Promise<AgentSession> {
  const { reflectionId, personId, mode, sessionAudience, surface, role, namespaces, isNarrowed } = past
  const id = IDS.sessionId()
  const settled = { mode, sessionAudience, surface, role, namespaces, ingestion: 'keep-only' as const }
  const row = { sessionId: id, reflectionId, personId, ...settled, ...(isNarrowed && { isNarrowed }) }
  // Before there is anything to read: whoever dies in between leaves a row that is swept with what is under it.
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

const IDS = createIdSource(randomFillSync)
