import type { ServerAgentDrift } from '@parley/contracts'
import type { Sha256 } from '../artifacts/content-hash.ts'
import { interviewerPack } from '../interview/interviewer-pack.ts'
import type { ServerAgentKind } from '../ports/runtime-agents.ts'
import type { AgentTemplate } from '../template/agent-template.ts'
import {
  buildElevenLabsAgentTemplate,
  type TemplatePack,
  type ToolIds,
} from '../template/build-elevenlabs-agent-template.ts'
import { genericPack } from '../template/generic-pack.ts'
import { compareAgent } from './compare-agent.ts'
import { placeAgent } from './place-agent.ts'
import type { SyncHost } from './sync-host.ts'

const PACKS: Readonly<Record<ServerAgentKind, (sha256: Sha256) => TemplatePack>> = {
  interviewer: interviewerPack,
  generic: genericPack,
}
const KINDS: readonly ServerAgentKind[] = ['interviewer', 'generic']

/** The agent of this server that is nobody's, as it should be: what differs in it is made right. */
export function makeServerAgent(kind: ServerAgentKind, host: SyncHost, signal: AbortSignal): Promise<string> {
  const { store, provider } = host
  const make = async (alone: AbortSignal) => {
    const known = await store.readServerAgent(kind)
    const { status, beyond } = await auditServerAgent(kind, host, alone)
    if (known && status === 'as_wanted') return known.agentId
    const tools = await host.tools[status === 'differs' ? 'renew' : 'ids'](alone)
    const template = await serverTemplate(kind, host, tools)
    // An update takes back what a template has; what is beyond it goes with the agent.
    const isKept = known?.made !== undefined && beyond.length === 0
    if (known && !isKept) await provider.removeAgent(known.agentId, alone)
    const held = isKept ? known.agentId : undefined
    const placed = await placeAgent({ template, held, mark: markOf(kind, host) }, provider, alone)
    await store.writeServerAgent(kind, placed)
    return placed.agentId
  }
  return store.alone(`the agent ${kind}`, make, signal)
}

/** How the server's own agents stand to what they should be. Nothing is written. */
export const auditServerAgents = (host: SyncHost, signal: AbortSignal): Promise<ServerAgentDrift[]> =>
  Promise.all(KINDS.map((kind) => auditServerAgent(kind, host, signal)))

/** Makes right what differs in those that were made, and looks again. */
export async function repairServerAgents(host: SyncHost, signal: AbortSignal): Promise<ServerAgentDrift[]> {
  for (const { kind, status } of await auditServerAgents(host, signal)) {
    if (status === 'differs' || status === 'gone') await makeServerAgent(kind, host, signal)
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
  const wanted = (toolIds: ToolIds) => serverTemplate(kind, host, toolIds)
  return { kind, ...(await compareAgent({ ...known, wanted }, host, signal)) }
}

const markOf = (kind: ServerAgentKind, { setUp }: SyncHost): string => ` (${kind} at ${setUp.publicUrl})`

const serverTemplate = async (
  kind: ServerAgentKind,
  host: SyncHost,
  toolIds: ToolIds,
): Promise<AgentTemplate> =>
  buildElevenLabsAgentTemplate(PACKS[kind](host.sha256), {
    name: `Parley${markOf(kind, host)}`,
    voiceId: host.setUp.defaultVoiceId,
    toolIds,
    webhookId: await host.webhookId(),
  })
