import {
  type PersonId,
  PlatformError,
  type Reflection,
  type ReflectionId,
  type SessionId,
} from '@parley/contracts'
import type { Sessions, Wait } from '@parley/engine'
import type { WarningLog } from '../sessions/sessions-host.ts'
import type { AgentCleanup } from '../sync/close-agents.ts'

/** The result of a store's change that withdraws content. */
export interface EndedSessions {
  /** Sessions that ended because their prompts contained withdrawn content. */
  readonly ended: readonly SessionId[]
}

export interface WithdrawHost extends StopHost {
  /** Absent on a server without a voice provider. */
  readonly agentCleanup?: Pick<AgentCleanup, 'closeAgents'> | undefined
}

interface UnpublishHost extends WithdrawHost {
  readonly reflections: {
    unpublish(
      reflectionId: ReflectionId,
      names: readonly string[],
      by: PersonId,
    ): Promise<EndedSessions & { readonly reflection: Reflection }>
  }
}

/** Unpublishes namespaces, and withdraws their content from agents and sessions. */
export async function unpublishNamespaces(
  reflectionId: ReflectionId,
  names: readonly string[],
  by: PersonId,
  host: UnpublishHost,
): Promise<Reflection> {
  const { reflection, ended } = await host.reflections.unpublish(reflectionId, names, by)
  await withdrawContent(reflectionId, 'public', ended, host)
  return reflection
}

/** After a store's change: closes the agents that may hold withdrawn content, and stops the sessions that ended. */
export async function withdrawContent(
  reflectionId: ReflectionId,
  surfaces: 'public' | 'all',
  ended: EndedSessions['ended'],
  host: WithdrawHost,
): Promise<void> {
  await host.agentCleanup?.closeAgents(reflectionId, surfaces)
  await stopEndedSessions(ended, host)
}

interface StopHost {
  readonly sessions: Pick<Sessions, 'cancel' | 'end'>
  readonly logger: WarningLog
  readonly wait: Wait
}

/** A cancelled turn ends within moments. */
const MAX_TRIES = 40
const PAUSE_MS = 50

/**
 * Stops the turns of sessions that ended because sources were unpublished, moved or removed. No further turn begins, even
 * if its request was accepted before.
 */
async function stopEndedSessions(ended: readonly SessionId[], host: StopHost): Promise<void> {
  const stopped = await Promise.allSettled(ended.map((sessionId) => stopSession(sessionId, host)))
  for (const outcome of stopped) {
    if (outcome.status === 'rejected') {
      host.logger.warn({ err: outcome.reason }, 'a turn of an ended session is still running')
    }
  }
}

async function stopSession(sessionId: SessionId, { sessions, wait }: StopHost): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await sessions.cancel(sessionId)
      return await sessions.end(sessionId)
    } catch (failure) {
      const code = failure instanceof PlatformError ? failure.code : 'internal'
      if (code === 'session_not_found' || code === 'session_ended') return
      if (code !== 'session_busy' || tries === MAX_TRIES) throw failure
      await wait(PAUSE_MS, new AbortController().signal)
    }
  }
}
