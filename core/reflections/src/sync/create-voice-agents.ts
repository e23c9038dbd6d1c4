import { type AgentSurface, PlatformError, type ReflectionId, type ServerAgentDrift } from '@parley/contracts'
import { waitUnlessAborted } from '@parley/engine'
import type { Sha256 } from '../artifacts/content-hash.ts'
import { buildInterviewerPack, buildGenericPack } from '../packs/shared-packs.ts'
import type { VoiceAgents, ServerAgentKind } from '../ports/sync-store.ts'
import type { AgentTemplate } from '../template/agent-template.ts'
import { type TemplatePack, type ToolIds, buildAgentTemplate } from '../template/build-agent-template.ts'
import { compareAgent } from './audit-agents.ts'
import { decideSurfaceState } from './surface-state.ts'
import type { SyncHost } from './sync-host.ts'
import {
  placeAgent,
  readAgentsState,
  syncReflectionPublicRuntime,
  syncReflectionRuntime,
} from './sync-reflection-runtime.ts'

interface VoiceAgentsHost extends SyncHost {
  /** The limit of one sync, which several callers may wait for. */
  readonly deadline: () => AbortSignal
  /** Receives the cause of a failed sync; callers only learn the differences. */
  readonly onFailed: (failure: unknown) => void
}

/** Callers join a running sync of the same agent; after it, each checks the agent again. */
export function createVoiceAgents(host: VoiceAgentsHost): VoiceAgents {
  const syncing = new Map<string, Promise<'done' | 'failed'>>()
  const creating = new Map<ServerAgentKind, Promise<string>>()

  const syncOnce = (reflectionId: ReflectionId, surface: AgentSurface) =>
    joinRunning(syncing, `${reflectionId} ${surface}`, async () => {
      try {
        await (surface === 'public'
          ? syncReflectionPublicRuntime(reflectionId, host, host.deadline())
          : syncReflectionRuntime(reflectionId, surface, host, host.deadline()))
        return 'done'
      } catch (failure) {
        host.onFailed(failure)
        return 'failed'
      }
    })

  return {
    async ensureFresh(reflectionId, surface, signal) {
      const readState = async () =>
        decideSurfaceState(await readAgentsState(reflectionId, host, signal), surface, host)
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const { agent, target } = await readState()
        if (agent.kind === 'fresh' || !target) return agent
        if ((await waitForCaller(syncOnce(reflectionId, surface), signal)) === 'failed') break
      }
      return (await readState()).agent
    },

    forget: (...forgotten) => host.store.forget(...forgotten),

    async ensureServerAgent(kind, signal) {
      const agent = creating.get(kind) ?? createServerAgent(kind, host, host.deadline())
      creating.set(kind, agent)
      agent.catch(() => creating.delete(kind))
      return waitForCaller(agent, signal)
    },

    async forgetServerAgent(kind, agentId) {
      const agent = creating.get(kind)
      const isSame = (await agent?.catch(() => undefined)) === agentId
      if (isSame && creating.get(kind) === agent) creating.delete(kind)
    },
  }
}

/** The first sync may have begun before the latest promotion. */
const MAX_ATTEMPTS = 2

function joinRunning<Outcome>(
  underWay: Map<string, Promise<Outcome>>,
  key: string,
  begin: () => Promise<Outcome>,
): Promise<Outcome> {
  const known = underWay.get(key)
  if (known) return known
  const begun = begin().finally(() => underWay.delete(key))
  underWay.set(key, begun)
  return begun
}

/** An aborted caller stops waiting; the work continues for the others. */
const waitForCaller = <Outcome>(work: Promise<Outcome>, signal: AbortSignal): Promise<Outcome> =>
  waitUnlessAborted(
    work,
    signal,
    () => new PlatformError('cancelled', { message: 'The caller no longer waits for the agent.' }),
  )

const PACKS: Readonly<Record<ServerAgentKind, (sha256: Sha256) => TemplatePack>> = {
  interviewer: buildInterviewerPack,
  generic: buildGenericPack,
}
const KINDS: readonly ServerAgentKind[] = ['interviewer', 'generic']

/** Creates or repairs a shared agent of this server. */
function createServerAgent(kind: ServerAgentKind, host: SyncHost, signal: AbortSignal): Promise<string> {
  const { store, provider } = host
  const create = async (lockSignal: AbortSignal) => {
    const known = await store.readServerAgent(kind)
    const { status, beyond } = await auditServerAgent(kind, host, lockSignal)
    if (known && status === 'as_wanted') return known.agentId
    const tools = await host.tools[status === 'differs' ? 'renew' : 'ids'](lockSignal)
    const template = await buildServerTemplate(kind, host, tools)
    // An update only covers template fields. Other changes need a new agent.
    const isReusable = known?.providerDefaults !== undefined && beyond.length === 0
    if (known && !isReusable) await provider.removeAgent(known.agentId, lockSignal)
    const agentId = isReusable ? known.agentId : undefined
    const nameSuffix = formatNameSuffix(kind, host)
    const placed = await placeAgent({ template, agentId, nameSuffix }, provider, lockSignal)
    await store.writeServerAgent(kind, placed)
    return placed.agentId
  }
  return store.runExclusively(`the agent ${kind}`, create, signal)
}

/** Compares the shared agents with their desired state. Nothing is written. */
export const auditServerAgents = (host: SyncHost, signal: AbortSignal): Promise<ServerAgentDrift[]> =>
  Promise.all(KINDS.map((kind) => auditServerAgent(kind, host, signal)))

/** Repairs existing shared agents and audits again. */
export async function repairServerAgents(host: SyncHost, signal: AbortSignal): Promise<ServerAgentDrift[]> {
  for (const { kind, status } of await auditServerAgents(host, signal)) {
    if (status === 'differs' || status === 'gone') await createServerAgent(kind, host, signal)
  }
  return auditServerAgents(host, signal)
}

async function auditServerAgent(
  kind: ServerAgentKind,
  host: SyncHost,
  signal: AbortSignal,
): Promise<ServerAgentDrift> {
  const known = await host.store.readServerAgent(kind)
  if (!known) return { kind, status: 'not_made', differences: [], beyond: [], why: [] }
  const wanted = (toolIds: ToolIds) => buildServerTemplate(kind, host, toolIds)
  return { kind, ...(await compareAgent({ ...known, wanted }, host, signal)) }
}

const formatNameSuffix = (kind: ServerAgentKind, { setUp }: SyncHost): string =>
  ` (${kind} at ${setUp.publicUrl})`

const buildServerTemplate = async (
  kind: ServerAgentKind,
  host: SyncHost,
  toolIds: ToolIds,
): Promise<AgentTemplate> =>
  buildAgentTemplate(PACKS[kind](host.sha256), {
    name: `Parley${formatNameSuffix(kind, host)}`,
    voiceId: host.setUp.defaultVoiceId,
    toolIds,
    webhookId: await host.webhookId(),
  })
