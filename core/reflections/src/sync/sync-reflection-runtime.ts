import { type AgentSurface, PlatformError, type ReflectionId } from '@parley/contracts'
import type { SurfaceAgent, RuntimeState } from '../ports/sync-store.ts'
import type { HeldAgent, VoiceProvider } from '../ports/voice-provider.ts'
import type { AgentTemplate } from '../template/agent-template.ts'
import { type SyncTarget, decideSurfaceState } from './surface-state.ts'
import type { SyncHost } from './sync-host.ts'
import { formatAgentSuffix, buildClosedTemplate, buildSurfaceTemplate } from './surface-template.ts'

/** `anyway`: overwrite the agent although no difference is known. `recreate`: replace it with a new agent. */
type SyncEffort = 'where-needed' | 'anyway' | 'recreate'

/** Artifacts and namespaces may change during a sync. Then it is repeated, up to this limit. */
const MAX_ATTEMPTS = 4

/**
 * Brings the agent of one surface up to date and returns its state. An agent that must not exist is closed, except at the
 * first look of a sync that is only `where-needed`.
 */
export function syncReflectionRuntime(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  host: SyncHost,
  signal: AbortSignal,
  effort: SyncEffort = 'where-needed',
): Promise<SurfaceAgent> {
  const sync = async (alone: AbortSignal): Promise<SurfaceAgent> => {
    let left = effort
    for (let round = 0; round < MAX_ATTEMPTS; round += 1) {
      const now = await readRuntimeState(reflectionId, host)
      const { agent, agentId, target } = decideSurfaceState(now, surface, host)
      if (agent.kind === 'fresh' && left === 'where-needed') return agent
      const isLeft = left === 'where-needed' && round === 0
      if (!target && (agentId === undefined || isLeft)) return agent
      await placeSurfaceAgent({ reflectionId, surface, now, target, effort: left }, host, alone)
      left = 'where-needed'
    }
    return decideSurfaceState(await readRuntimeState(reflectionId, host), surface, host).agent
  }
  return host.store.runExclusively(agentLock(reflectionId, surface), sync, signal)
}

/** The lock for changes to the agent of a surface. */
export const agentLock = (reflectionId: ReflectionId, surface: AgentSurface): string =>
  `the agent ${surface} of ${reflectionId}`

/** The public surface has a lock and a state of its own, so no private one waits for it. */
export const syncReflectionPublicRuntime = (
  reflectionId: ReflectionId,
  host: SyncHost,
  signal: AbortSignal,
): Promise<SurfaceAgent> => syncReflectionRuntime(reflectionId, 'public', host, signal)

export async function readRuntimeState(
  reflectionId: ReflectionId,
  { store }: SyncHost,
  signal?: AbortSignal,
): Promise<RuntimeState> {
  const now = await store.read(reflectionId, signal)
  if (now) return now
  throw new PlatformError('reflection_not_found', {
    reflectionId,
    message: `There is no reflection ${reflectionId}.`,
  })
}

interface SurfacePlacement {
  readonly reflectionId: ReflectionId
  readonly surface: AgentSurface
  readonly now: RuntimeState
  /** Absent if the agent is to be closed. */
  readonly target: SyncTarget | undefined
  readonly effort: SyncEffort
}

async function placeSurfaceAgent(
  { reflectionId, surface, now, target, effort }: SurfacePlacement,
  host: SyncHost,
  signal: AbortSignal,
): Promise<void> {
  const { store, provider } = host
  const { agentId: held, made: known, pendingRevocations } = now.syncs[surface] ?? {}
  const note = async ({ agentId, made }: PlacedAgent) => {
    if (await store.write(reflectionId, surface, { agentId, ...(made && { made }) })) return
    // The reflection was removed during the sync: leave nothing at the provider.
    await provider.removeAgent(agentId, signal)
    await readRuntimeState(reflectionId, host)
  }
  // From here on the agent's state is unknown, even if this process dies.
  if (held !== undefined) await note({ agentId: held })
  const isKept = effort !== 'recreate' && known !== undefined
  if (held !== undefined && !isKept) await provider.removeAgent(held, signal)
  const kept = isKept ? held : undefined

  const attempt = async (tools: 'ids' | 'renew') => {
    const template = target
      ? await buildSurfaceTemplate(reflectionId, surface, target, host, await host.tools[tools](signal))
      : await buildClosedTemplate(reflectionId, surface, now, host)
    return (
      template &&
      placeAgent({ template, held: kept, mark: formatAgentSuffix(reflectionId, surface) }, provider, signal)
    )
  }
  const placed =
    effort === 'where-needed'
      ? await attempt('ids').catch((failure: unknown) => {
          // Somebody may have removed a tool at the provider.
          if (failure instanceof PlatformError && failure.code === 'validation') return attempt('renew')
          throw failure
        })
      : await attempt('renew')
  if (!placed) return
  const { agentId } = placed
  if (agentId !== held) await note(placed)

  const after = decideSurfaceState(await readRuntimeState(reflectionId, host), surface, host).target
  if (JSON.stringify(after) !== JSON.stringify(target)) return
  await store.write(reflectionId, surface, {
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
  /** The known agent, with the defaults that the provider filled in when it was created. */
  readonly held?: string | undefined
  /** The unique end of this agent's name. */
  readonly mark: string
}

interface PlacedAgent {
  readonly agentId: string
  /** The provider's defaults, if the agent was just created. */
  readonly made?: HeldAgent['rest']
}

/**
 * Updates the known agent, or creates a new one and removes all others of its name. Only a new agent shows the provider's
 * defaults: an older one may hold changes of somebody.
 */
export async function placeAgent(
  { template, held, mark }: AgentPlacement,
  provider: VoiceProvider,
  signal: AbortSignal,
): Promise<PlacedAgent> {
  if (held !== undefined) {
    const updated = await provider.updateAgent(held, template, signal)
    if (updated.kind === 'updated') return { agentId: held }
    await provider.removeAgent(held, signal)
  }
  for (const { agentId, name } of await provider.listAgents(signal)) {
    if (name.endsWith(mark)) await provider.removeAgent(agentId, signal)
  }
  const agentId = await provider.createAgent(template, signal)
  const read = await provider.readAgent(agentId, signal)
  return { agentId, ...(read.kind === 'held' && { made: read.rest }) }
}
