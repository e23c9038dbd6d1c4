import { type AgentSurface, PlatformError, type ReflectionId } from '@parley/contracts'
import type { SurfaceAgent, SurfaceSync, AgentsState } from '../ports/sync-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import type { AgentTemplate } from '../template/agent-template.ts'
import { type SyncTarget, decideSurfaceState } from './surface-state.ts'
import type { SyncHost } from './sync-host.ts'
import { formatAgentSuffix, buildClosedTemplate, buildSurfaceTemplate } from './surface-template.ts'

/** `anyway`: overwrite the agent although no difference is known. `recreate`: replace it with a new agent. */
type SyncEffort = 'where-needed' | 'anyway' | 'recreate'

/** Artifacts and namespaces may change during a sync. Then it is repeated, up to this limit. */
const MAX_ATTEMPTS = 4

/**
 * Brings the agent of one surface up to date and returns its state. An agent without a target is closed; a sync that is only
 * `where-needed` leaves it open if it had no target from the beginning.
 */
export function syncReflectionRuntime(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  host: SyncHost,
  signal: AbortSignal,
  effort: SyncEffort = 'where-needed',
): Promise<SurfaceAgent> {
  const sync = async (lockSignal: AbortSignal): Promise<SurfaceAgent> => {
    let remaining = effort
    for (let round = 0; round < MAX_ATTEMPTS; round += 1) {
      const now = await readAgentsState(reflectionId, host)
      const { agent, agentId, target } = decideSurfaceState(now, surface, host)
      if (agent.kind === 'fresh' && remaining === 'where-needed') return agent
      const mayStayOpen = remaining === 'where-needed' && round === 0
      if (!target && (agentId === undefined || mayStayOpen)) return agent
      await updateSurfaceAgent({ reflectionId, surface, now, target, effort: remaining }, host, lockSignal)
      remaining = 'where-needed'
    }
    return decideSurfaceState(await readAgentsState(reflectionId, host), surface, host).agent
  }
  return host.store.runExclusively(formatAgentLock(reflectionId, surface), sync, signal)
}

/** The lock for changes to the agent of a surface. */
export const formatAgentLock = (reflectionId: ReflectionId, surface: AgentSurface): string =>
  `the agent ${surface} of ${reflectionId}`

/** The public surface has a lock and a state of its own, so no private one waits for it. */
export const syncReflectionPublicRuntime = (
  reflectionId: ReflectionId,
  host: SyncHost,
  signal: AbortSignal,
): Promise<SurfaceAgent> => syncReflectionRuntime(reflectionId, 'public', host, signal)

export async function readAgentsState(
  reflectionId: ReflectionId,
  { store }: SyncHost,
  signal?: AbortSignal,
): Promise<AgentsState> {
  const now = await store.read(reflectionId, signal)
  if (now) return now
  throw new PlatformError('reflection_not_found', {
    reflectionId,
    message: `There is no reflection ${reflectionId}.`,
  })
}

interface SurfaceUpdate {
  readonly reflectionId: ReflectionId
  readonly surface: AgentSurface
  /** The state before the update. */
  readonly now: AgentsState
  /** Absent if the agent is to be closed. */
  readonly target: SyncTarget | undefined
  readonly effort: SyncEffort
}

/** Puts the desired agent of a surface at the provider, and stores its state. */
async function updateSurfaceAgent(update: SurfaceUpdate, host: SyncHost, signal: AbortSignal): Promise<void> {
  const { agentId, providerDefaults } = update.now.syncs[update.surface] ?? {}
  // From here on the agent's state is unknown, even if this process dies.
  if (agentId !== undefined) await storeAgent(update, { agentId }, host, signal)
  const isReusable = update.effort !== 'recreate' && providerDefaults !== undefined
  if (agentId !== undefined && !isReusable) await host.provider.removeAgent(agentId, signal)

  const placed = await placeSurfaceAgent(update, isReusable ? agentId : undefined, host, signal)
  if (!placed) return
  if (placed.agentId !== agentId) await storeAgent(update, placed, host, signal)
  await storeSyncState(update, placed.agentId, host)
}

/** Stores the agent of a surface, without a state. */
async function storeAgent(
  { reflectionId, surface }: SurfaceUpdate,
  agent: PlacedAgent,
  host: SyncHost,
  signal: AbortSignal,
): Promise<void> {
  if (await host.store.write(reflectionId, surface, agent)) return
  // The reflection was removed during the sync: leave nothing at the provider.
  await host.provider.removeAgent(agent.agentId, signal)
  await readAgentsState(reflectionId, host)
}

/** Updates the agent with this id, or creates one. Undefined if another generation was promoted since. */
async function placeSurfaceAgent(
  { reflectionId, surface, now, target, effort }: SurfaceUpdate,
  agentId: string | undefined,
  host: SyncHost,
  signal: AbortSignal,
): Promise<PlacedAgent | undefined> {
  const nameSuffix = formatAgentSuffix(reflectionId, surface)
  const place = async (tools: 'ids' | 'renew') => {
    const template = target
      ? await buildSurfaceTemplate(reflectionId, surface, target, host, await host.tools[tools](signal))
      : await buildClosedTemplate(reflectionId, surface, now, host)
    return template && placeAgent({ template, agentId, nameSuffix }, host.provider, signal)
  }
  if (effort !== 'where-needed') return place('renew')
  return place('ids').catch((failure: unknown) => {
    // Somebody may have removed a tool at the provider.
    if (failure instanceof PlatformError && failure.code === 'validation') return place('renew')
    throw failure
  })
}

/** Stores the state that the agent was synced with, unless the desired state changed during the sync. */
async function storeSyncState(
  { reflectionId, surface, now, target }: SurfaceUpdate,
  agentId: string,
  host: SyncHost,
): Promise<void> {
  const after = decideSurfaceState(await readAgentsState(reflectionId, host), surface, host).target
  if (JSON.stringify(after) !== JSON.stringify(target)) return
  const { pendingRevocations } = now.syncs[surface] ?? {}
  await host.store.write(reflectionId, surface, {
    agentId,
    ...(target && toSyncState(agentId, target, host)),
    ...(pendingRevocations !== undefined && { pendingRevocations }),
  })
}

function toSyncState(agentId: string, target: SyncTarget, { now }: SyncHost) {
  const { packKind, packContentHash, dossierHash, publishedScopeHash, fingerprint } = target
  const madeFrom = { packKind, packContentHash, dossierHash, publishedScopeHash }
  return { state: { agentId, ...madeFrom, syncedAt: now() }, fingerprint }
}

interface AgentPlacement {
  readonly template: AgentTemplate
  /** The agent to update; absent to create one. */
  readonly agentId?: string | undefined
  /** The unique end of this agent's name. */
  readonly nameSuffix: string
}

type PlacedAgent = Pick<SurfaceSync, 'agentId' | 'providerDefaults'>

/**
 * Updates the known agent, or creates a new one and removes all others of its name. Only a new agent shows the provider's
 * defaults: an older one may hold changes of somebody.
 */
export async function placeAgent(
  { template, agentId, nameSuffix }: AgentPlacement,
  provider: VoiceProvider,
  signal: AbortSignal,
): Promise<PlacedAgent> {
  if (agentId !== undefined) {
    const updated = await provider.updateAgent(agentId, template, signal)
    if (updated.kind === 'updated') return { agentId }
    await provider.removeAgent(agentId, signal)
  }
  for (const agent of await provider.listAgents(signal)) {
    if (agent.name.endsWith(nameSuffix)) await provider.removeAgent(agent.agentId, signal)
  }
  const newAgentId = await provider.createAgent(template, signal)
  const created = await provider.readAgent(newAgentId, signal)
  return {
    agentId: newAgentId,
    ...(created.kind === 'agent' && { providerDefaults: created.otherFields }),
  }
}
