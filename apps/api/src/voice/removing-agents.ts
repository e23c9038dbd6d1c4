import { PlatformError } from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import type { SyncHost } from '@parley/reflections'

const REMOVE_MS = 60_000

/** With a reflection go its agents at the provider, and their tests, in the background: they hold its prompts and facts. */
export const removingAgents = (
  reflections: ReflectionStore,
  { store, provider }: Pick<SyncHost, 'store' | 'provider'>,
  onFailed: (failure: PlatformError) => void,
): ReflectionStore => ({
  ...reflections,
  async remove(reflectionId, by) {
    const now = await store.read(reflectionId)
    await reflections.remove(reflectionId, by)
    const signal = AbortSignal.timeout(REMOVE_MS)
    const failed = (what: { readonly agentId?: string }, message: string) => (cause: unknown) =>
      onFailed(new PlatformError('provider_unavailable', { reflectionId, message, ...what }, { cause }))
    void provider
      .removeTests(`${reflectionId} `, signal)
      .catch(failed({}, `Remove the tests whose names begin with ${reflectionId} there by hand.`))
    for (const { agentId } of Object.values(now?.syncs ?? {})) {
      void provider
        .removeAgent(agentId, signal)
        .catch(failed({ agentId }, `Remove the agent ${agentId} of ${reflectionId} there by hand.`))
    }
  },
})
