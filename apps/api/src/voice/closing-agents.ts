import { setTimeout as pause } from 'node:timers/promises'
import { AgentSurface, PlatformError, type ReflectionId } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { closeAgent, type SyncHost } from '@parley/reflections'

/** How long who unpublished, moved or removed something waits for the provider; then it goes on without them. */
const WAIT_MS = 3_000
const ATTEMPT_MS = 60_000
/** What is waited before each further attempt; after them it is left to the sweep. */
const AGAIN_AFTER_MS = [1_000, 10_000]

const PUBLIC: readonly AgentSurface[] = ['public', 'public_part']

/** What was unpublished, or was in a source that was moved or removed, is taken from the agents at the provider that hold it. */
export function closingAgents(
  reflections: ReflectionStore,
  host: SyncHost,
  onFailed: (failure: PlatformError) => void,
): ReflectionStore {
  const close = async (reflectionId: ReflectionId, surface: AgentSurface): Promise<void> => {
    for (const againAfter of [...AGAIN_AFTER_MS, undefined]) {
      try {
        return await closeAgent(reflectionId, surface, host, AbortSignal.timeout(ATTEMPT_MS))
      } catch (cause) {
        const next = againAfter === undefined ? 'every minute' : `in ${againAfter / 1_000} s`
        onFailed(stillOpen(reflectionId, surface, next, cause))
        if (againAfter !== undefined) await pause(againAfter, undefined, { ref: false })
      }
    }
  }
  const closeSoon = async (reflectionId: ReflectionId, surfaces: readonly AgentSurface[]): Promise<void> => {
    const closed = Promise.all(surfaces.map((surface) => close(reflectionId, surface)))
    await Promise.race([closed, pause(WAIT_MS, undefined, { ref: false })])
  }
  return {
    ...reflections,

    async unpublish(reflectionId, ...change) {
      const unpublished = await reflections.unpublish(reflectionId, ...change)
      await closeSoon(reflectionId, PUBLIC)
      return unpublished
    },

    async addSource(reflectionId, ...added) {
      const source = await reflections.addSource(reflectionId, ...added)
      if (source.takenBack) await closeSoon(reflectionId, PUBLIC)
      return source
    },

    async removeSource(reflectionId, sourceId, by) {
      const takenBack = await reflections.removeSource(reflectionId, sourceId, by)
      await closeSoon(reflectionId, AgentSurface.options)
      return takenBack
    },
  }
}

/** Closes the agents that still hold what was taken back, whichever process left them so. */
export async function closeTakenBack(
  host: SyncHost,
  onFailed: (failure: PlatformError) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const { reflectionId, surface } of await host.store.holdingTakenBack()) {
    if (signal.aborted) return
    const attempt = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)])
    await closeAgent(reflectionId, surface, host, attempt).catch((cause: unknown) => {
      if (!signal.aborted) onFailed(stillOpen(reflectionId, surface, 'in a minute', cause))
    })
  }
}

function stillOpen(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  next: string,
  cause: unknown,
): PlatformError {
  const message = `The agent ${surface} of ${reflectionId} still holds what was taken back. It is tried again ${next}.`
  return new PlatformError('provider_unavailable', { reflectionId, surface, message }, { cause })
}
