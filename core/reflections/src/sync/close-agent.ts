import type { ReflectionId, AgentSurface } from '@parley/contracts'
import { closedTemplate } from './wanted-template.ts'
import { surfaceNow } from './surface-now.ts'
import type { SyncHost } from './sync-host.ts'
import { agentLock } from './sync-reflection-runtime.ts'

/**
 * Takes from the agent of a surface all that it could tell, where something of it was taken back, so that who connects to
 * it by an address that was given out before meets nothing old. One that was made for what is promoted and published now
 * stays. The next start syncs it anew.
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
    // One that is gone tells nothing either.
    await provider.updateAgent(agentId, await closedTemplate(reflectionId, surface, now, host), alone)
    await store.write(reflectionId, surface, { agentId, takenBack })
  }
  return store.alone(agentLock(reflectionId, surface), close, signal)
}
