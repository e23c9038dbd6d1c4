import {
  type PersonId,
  PlatformError,
  type ReflectionId,
  type SessionId,
  type SourceId,
} from '@parley/contracts'
import type { Sessions, Wait } from '@parley/engine'
import type { WarningLog } from '../sessions/sessions-host.ts'
import type { AgentCleanup } from '../sync/close-agents.ts'

/** Sessions that ended because their prompts contained withdrawn content. */
interface EndedSessions {
  readonly ended: readonly SessionId[]
}

/** The changes of a store that may withdraw content. `endedSessions` is set if published content was replaced. */
interface ContentStore<Content, Version extends { readonly endedSessions?: EndedSessions }, Unpublished> {
  remove(reflectionId: ReflectionId, by: PersonId): Promise<void>
  unpublish(reflectionId: ReflectionId, names: readonly string[], by: PersonId): Promise<Unpublished>
  addSource(reflectionId: ReflectionId, source: Content, by: PersonId, sourceId?: SourceId): Promise<Version>
  removeSource(reflectionId: ReflectionId, sourceId: SourceId, by: PersonId): Promise<EndedSessions>
}

interface WithdrawHost extends StopHost {
  /** Absent on a server without a voice provider. */
  readonly agentCleanup?: Pick<AgentCleanup, 'closeAgents' | 'prepareRemoval'> | undefined
}

/** The store's changes that may withdraw content. After each, agents lose that content and the ended sessions stop. */
export function withWithdrawal<
  Content,
  Version extends { readonly endedSessions?: EndedSessions },
  Unpublished extends EndedSessions,
>(
  store: ContentStore<Content, Version, Unpublished>,
  host: WithdrawHost,
): ContentStore<Content, Version, Unpublished> {
  const withdraw = async (
    reflectionId: ReflectionId,
    surfaces: 'public' | 'all',
    { ended }: EndedSessions,
  ) => {
    await host.agentCleanup?.closeAgents(reflectionId, surfaces)
    await stopEndedSessions(ended, host)
  }
  return {
    async remove(reflectionId, by) {
      const removeAgents = await host.agentCleanup?.prepareRemoval(reflectionId)
      await store.remove(reflectionId, by)
      removeAgents?.()
    },

    async unpublish(reflectionId, ...change) {
      const unpublished = await store.unpublish(reflectionId, ...change)
      await withdraw(reflectionId, 'public', unpublished)
      return unpublished
    },

    async addSource(reflectionId, ...added) {
      const version = await store.addSource(reflectionId, ...added)
      if (version.endedSessions) await withdraw(reflectionId, 'public', version.endedSessions)
      return version
    },

    async removeSource(reflectionId, ...removed) {
      const ended = await store.removeSource(reflectionId, ...removed)
      await withdraw(reflectionId, 'all', ended)
      return ended
    },
  }
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
