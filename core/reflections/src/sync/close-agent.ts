import type { ReflectionId, AgentSurface } from '@parley/contracts'
import { closedTemplate } from './wanted-template.ts'
import { surfaceNow } from './surface-now.ts'
import type { SyncHost } from './sync-host.ts'
import { agentLock } from './sync-reflection-runtime.ts'

/**
 * Empties the agent of a surface if it may hold unpublished or removed sources, so an address from before reaches nothing
 * old. An agent that is up to date stays. The next start syncs it again.
 */
export function closeAgent(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  host: SyncHost,
  signal: AbortSignal,
): Promise<void> {
  const { store, provider } = host
  const close = async (alone: AbortSignal): Promise<void> => {
    const now = await store.read(reflectionId)
    const sync = now?.syncs[surface]
    if (!now || !sync?.takenBack) return
    const { agentId, takenBack } = sync
    if (surfaceNow(now, surface, host).agent.kind === 'fresh') {
      await store.write(reflectionId, surface, sync)
      return
    }
    await store.write(reflectionId, surface, { agentId })
    // An agent that is gone holds nothing either.
    await provider.updateAgent(agentId, await closedTemplate(reflectionId, surface, now, host), alone)
    await store.write(reflectionId, surface, { agentId, takenBack })
  }
  return store.alone(agentLock(reflectionId, surface), close, signal)
}
