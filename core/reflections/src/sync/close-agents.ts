import { AgentSurface, PlatformError, type ReflectionId } from '@parley/contracts'
import type { Wait } from '@parley/engine'
import type { SyncHost } from './sync-host.ts'
import { buildClosedTemplate } from './surface-template.ts'
import { decideSurfaceState } from './surface-state.ts'
import { formatAgentLock } from './sync-reflection-runtime.ts'

interface AgentCleanupHost extends SyncHost {
  /** Aborts after so many milliseconds, or with the other signal. */
  readonly timeout: (ms: number, signal?: AbortSignal) => AbortSignal
  readonly wait: Wait
  readonly onNotClosed: (failure: PlatformError) => void
  readonly onNotRemoved: (failure: PlatformError) => void
}

/** Removes unpublished and removed content from the provider. */
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

const AGENT_SURFACES = {
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
        onNotClosed(createNotClosedError(reflectionId, surface, next, cause))
        if (retryAfter !== undefined) await wait(retryAfter, forever)
      }
    }
  }

  return {
    async closeAgents(reflectionId, surfaces) {
      const closed = Promise.all(AGENT_SURFACES[surfaces].map((surface) => close(reflectionId, surface)))
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
      for (const { reflectionId, surface } of await store.listPendingRevocations()) {
        if (signal.aborted) return
        await closeAgent(reflectionId, surface, host, timeout(ATTEMPT_MS, signal)).catch((cause: unknown) => {
          if (!signal.aborted) onNotClosed(createNotClosedError(reflectionId, surface, 'in a minute', cause))
        })
      }
    },
  }
}

function createNotClosedError(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  next: string,
  cause: unknown,
): PlatformError {
  const message = `The agent ${surface} of ${reflectionId} still holds unpublished or removed sources. Retrying ${next}.`
  return new PlatformError('provider_unavailable', { reflectionId, surface, message }, { cause })
}

/**
 * Empties the agent of a surface if it may hold unpublished or removed sources, so an earlier address reaches nothing old.
 * An agent that is up to date stays. The next start syncs it again.
 */
function closeAgent(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  host: SyncHost,
  signal: AbortSignal,
): Promise<void> {
  const { store, provider } = host
  const close = async (lockSignal: AbortSignal): Promise<void> => {
    const now = await store.read(reflectionId)
    const sync = now?.syncs[surface]
    if (!now || !sync?.pendingRevocations) return
    const { agentId, pendingRevocations } = sync
    if (decideSurfaceState(now, surface, host).agent.kind === 'fresh') {
      await store.write(reflectionId, surface, sync)
      return
    }
    await store.write(reflectionId, surface, { agentId })
    // An agent that no longer exists holds nothing either.
    await provider.updateAgent(
      agentId,
      await buildClosedTemplate(reflectionId, surface, now, host),
      lockSignal,
    )
    await store.write(reflectionId, surface, { agentId, pendingRevocations })
  }
  return store.runExclusively(formatAgentLock(reflectionId, surface), close, signal)
}
