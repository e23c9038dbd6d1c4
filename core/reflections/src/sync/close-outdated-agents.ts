import { AgentSurface, PlatformError, type ReflectionId } from '@parley/contracts'
import type { Wait } from '../starting/within-deadline.ts'
import { closeAgent } from './close-agent.ts'
import type { SyncHost } from './sync-host.ts'

export interface AgentCleanupHost extends SyncHost {
  /** Aborts after so many milliseconds, or with the other signal. */
  readonly timeout: (ms: number, signal?: AbortSignal) => AbortSignal
  readonly wait: Wait
  readonly onNotClosed: (failure: PlatformError) => void
  readonly onNotRemoved: (failure: PlatformError) => void
}

/** Removes from the provider what its agents may no longer hold. */
export interface AgentCleanup {
  /**
   * Closes the agents that may hold sources which were unpublished, moved or removed. It waits a few seconds for the provider;
   * later attempts run in the background, and then in `closeOutdatedAgents`.
   */
  closeAgents(reflectionId: ReflectionId, surfaces: 'public' | 'all'): Promise<void>
  /** Call it before a reflection is removed; the result removes the agents and their tests in the background. */
  prepareRemoval(reflectionId: ReflectionId): Promise<() => void>
  /** Closes the agents of all reflections that still hold unpublished or removed sources, whichever process left them. */
  closeOutdatedAgents(signal: AbortSignal): Promise<void>
}

const SURFACES = {
  public: ['public', 'public_part'],
  all: AgentSurface.options,
} as const satisfies Record<string, readonly AgentSurface[]>

const WAIT_MS = 3_000
const ATTEMPT_MS = 60_000
/** The pauses before further attempts. */
const RETRY_AFTER_MS = [1_000, 10_000]
const REMOVE_MS = 60_000

export function createAgentCleanup(host: AgentCleanupHost): AgentCleanup {
  const { store, provider, timeout, wait, onNotClosed, onNotRemoved } = host
  const forever = new AbortController().signal

  const close = async (reflectionId: ReflectionId, surface: AgentSurface): Promise<void> => {
    for (const retryAfter of [...RETRY_AFTER_MS, undefined]) {
      try {
        return await closeAgent(reflectionId, surface, host, timeout(ATTEMPT_MS))
      } catch (cause) {
        const next = retryAfter === undefined ? 'every minute' : `in ${retryAfter / 1_000} s`
        onNotClosed(notClosed(reflectionId, surface, next, cause))
        if (retryAfter !== undefined) await wait(retryAfter, forever)
      }
    }
  }

  return {
    async closeAgents(reflectionId, surfaces) {
      const closed = Promise.all(SURFACES[surfaces].map((surface) => close(reflectionId, surface)))
      await Promise.race([closed, wait(WAIT_MS, forever)])
    },

    async prepareRemoval(reflectionId) {
      const now = await store.read(reflectionId)
      return () => {
        const signal = timeout(REMOVE_MS)
        const report = (message: string, agent: { readonly agentId?: string }) => (cause: unknown) =>
          onNotRemoved(
            new PlatformError('provider_unavailable', { reflectionId, message, ...agent }, { cause }),
          )
        void provider
          .removeTests(`${reflectionId} `, signal)
          .catch(report(`Remove the tests whose names begin with ${reflectionId} there by hand.`, {}))
        for (const { agentId } of Object.values(now?.syncs ?? {})) {
          void provider
            .removeAgent(agentId, signal)
            .catch(report(`Remove the agent ${agentId} of ${reflectionId} there by hand.`, { agentId }))
        }
      }
    },

    async closeOutdatedAgents(signal) {
      for (const { reflectionId, surface } of await store.holdingTakenBack()) {
        if (signal.aborted) return
        await closeAgent(reflectionId, surface, host, timeout(ATTEMPT_MS, signal)).catch((cause: unknown) => {
          if (!signal.aborted) onNotClosed(notClosed(reflectionId, surface, 'in a minute', cause))
        })
      }
    },
  }
}

function notClosed(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  next: string,
  cause: unknown,
): PlatformError {
  const message = `The agent ${surface} of ${reflectionId} still holds unpublished or removed sources. Retrying ${next}.`
  return new PlatformError('provider_unavailable', { reflectionId, surface, message }, { cause })
}
