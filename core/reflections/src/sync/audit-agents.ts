import {
  type AgentDrift,
  type AgentSurface,
  type ReflectionId,
  AgentAction,
  recordByAction,
} from '@parley/contracts'
import type { ToolIds } from '../template/build-agent-template.ts'
import { listAgentSurfaces, decideSurfaceState } from './surface-state.ts'
import type { SyncHost } from './sync-host.ts'
import { readAgentsState, syncReflectionRuntime } from './sync-reflection-runtime.ts'
import { buildClosedTemplate, buildSurfaceTemplate } from './surface-template.ts'
import type { SurfaceSync } from '../ports/sync-store.ts'
import type { AgentTemplate } from '../template/agent-template.ts'
import { type FieldDifference, findDifferences } from '../template/find-differences.ts'

/** Compares each agent at the provider with its desired state. Nothing is written. */
export async function auditAgents(
  reflectionId: ReflectionId,
  host: SyncHost,
  signal: AbortSignal,
): Promise<readonly AgentDrift[]> {
  const drifts: AgentDrift[] = []
  for (const surface of listAgentSurfaces(await readAgentsState(reflectionId, host))) {
    drifts.push(await auditAgent(reflectionId, surface, host, signal))
  }
  return drifts
}

/** Repairs differences and audits again. */
export async function repairAgents(
  reflectionId: ReflectionId,
  host: SyncHost,
  signal: AbortSignal,
): Promise<readonly AgentDrift[]> {
  for (const { surface, status, beyond } of await auditAgents(reflectionId, host, signal)) {
    if (status !== 'differs' && status !== 'gone') continue
    // An update only covers template fields. Other changes need a new agent.
    await syncReflectionRuntime(
      reflectionId,
      surface,
      host,
      signal,
      beyond.length > 0 ? 'recreate' : 'anyway',
    )
  }
  return auditAgents(reflectionId, host, signal)
}

async function auditAgent(
  reflectionId: ReflectionId,
  surface: AgentSurface,
  host: SyncHost,
  signal: AbortSignal,
): Promise<AgentDrift> {
  const now = await readAgentsState(reflectionId, host)
  const { agent, agentId, target } = decideSurfaceState(now, surface, host)
  if (agentId === undefined) return { surface, status: 'not_made', differences: [], beyond: [], why: [] }
  const wanted = (toolIds: ToolIds) =>
    target
      ? buildSurfaceTemplate(reflectionId, surface, target, host, toolIds)
      : buildClosedTemplate(reflectionId, surface, now, host)
  const compared = await compareAgent(
    { agentId, providerDefaults: now.syncs[surface]?.providerDefaults, wanted },
    host,
    signal,
  )
  if (target) return { surface, ...compared }
  const why = `This surface must be closed: ${explainClosed(agent)}.`
  return { surface, ...compared, why: [...compared.why, why] }
}

function explainClosed(agent: ReturnType<typeof decideSurfaceState>['agent']): string {
  if (agent.kind === 'not-ready') return agent.missing
  return agent.kind === 'stale' ? agent.differs.join(', ') : 'a new version was promoted a moment ago'
}

interface ComparedAgent {
  readonly agentId: string
  readonly providerDefaults?: SurfaceSync['providerDefaults'] | undefined
  /** The desired template with these tools; undefined if it is not known yet. */
  readonly wanted: (toolIds: ToolIds) => Promise<AgentTemplate | undefined>
}

type AgentComparison = Omit<AgentDrift, 'surface'>

/** Compares an agent at the provider with its desired template, field by field. Nothing is written. */
export async function compareAgent(
  { agentId, providerDefaults, wanted }: ComparedAgent,
  host: Pick<SyncHost, 'provider' | 'tools'>,
  signal: AbortSignal,
): Promise<AgentComparison> {
  const noDifferences = { agentId, differences: [], beyond: [] }
  const actual = await host.provider.readAgent(agentId, signal)
  if (actual.kind === 'agent_not_usable') return { ...noDifferences, status: 'gone', why: [actual.reason] }
  const tools = await auditTools(actual.template.toolIds, host, signal)
  const template = await wanted(tools.ids)
  if (!template) return { ...noDifferences, status: 'not_comparable', why: [JUST_PROMOTED] }
  const differences = [...findDifferences(template, actual.template), ...tools.differences]
  const { otherFields } = actual
  const changed = findDifferences(providerDefaults ?? otherFields, otherFields).map(({ path }) => path)
  const beyond = [...actual.unexpectedPaths, ...changed, ...tools.unexpectedPaths]
  const isAsWanted = differences.length === 0 && beyond.length === 0
  return { agentId, status: isAsWanted ? 'as_wanted' : 'differs', differences, beyond, why: [] }
}

const JUST_PROMOTED = 'A new version was promoted a moment ago. Compare again.'

interface ToolsAudit {
  /** The ids of the agent's tools by name; a missing tool has its name as id. */
  readonly ids: ToolIds
  readonly differences: readonly FieldDifference[]
  readonly unexpectedPaths: readonly string[]
}

/** Compares the tools of an agent with the desired ones, field by field. */
async function auditTools(
  toolIds: readonly string[],
  { provider, tools }: Pick<SyncHost, 'provider' | 'tools'>,
  signal: AbortSignal,
): Promise<ToolsAudit> {
  const wanted = await tools.wanted(signal)
  const read = await Promise.all(
    toolIds.map(async (toolId) => {
      const actual = await provider.readTool(toolId, signal)
      return actual ? [{ toolId, ...actual }] : []
    }),
  )
  const found = AgentAction.options.flatMap((action) => {
    const actual = read.flat().find(({ tool }) => tool.name === action)
    return actual ? [{ action, actual }] : []
  })
  const findToolId = (action: AgentAction) =>
    found.find((one) => one.action === action)?.actual.toolId ?? action
  return {
    ids: recordByAction(findToolId),
    differences: found.flatMap(({ action, actual }) =>
      findDifferences(wanted[action], actual.tool, `tools.${action}`),
    ),
    unexpectedPaths: found.flatMap(({ action, actual }) =>
      actual.unexpectedPaths.map((path) => `tools.${action}.${path}`),
    ),
  }
}
