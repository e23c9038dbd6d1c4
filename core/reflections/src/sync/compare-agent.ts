import { AgentAction, type AgentDrift, recordByAction } from '@parley/contracts'
import type { HeldAgent } from '../ports/voice-provider.ts'
import type { AgentTemplate } from '../template/agent-template.ts'
import type { ToolIds } from '../template/build-elevenlabs-agent-template.ts'
import { type Difference, differencesOf } from '../template/differences-of.ts'
import type { SyncHost } from './sync-host.ts'

export interface ComparedAgent {
  readonly agentId: string
  readonly made?: HeldAgent['rest'] | undefined
  /** The desired template with these tools; undefined if it is not known yet. */
  readonly wanted: (toolIds: ToolIds) => Promise<AgentTemplate | undefined>
}

export type Compared = Omit<AgentDrift, 'surface'>

/** Compares an agent at the provider with its desired template, field by field. Nothing is written. */
export async function compareAgent(
  { agentId, made, wanted }: ComparedAgent,
  host: Pick<SyncHost, 'provider' | 'tools'>,
  signal: AbortSignal,
): Promise<Compared> {
  const nothing = { agentId, differences: [], beyond: [] }
  const held = await host.provider.readAgent(agentId, signal)
  if (held.kind === 'agent_not_usable') return { ...nothing, status: 'gone', why: [held.reason] }
  const tools = await auditTools(held.template.toolIds, host, signal)
  const template = await wanted(tools.ids)
  if (!template) return { ...nothing, status: 'not_comparable', why: ['it was promoted just now'] }
  const differences = [...differencesOf(template, held.template), ...tools.differences]
  const changed = differencesOf(made ?? held.rest, held.rest).map(({ path }) => path)
  const beyond = [...held.beyond, ...changed, ...tools.beyond]
  const isAsWanted = differences.length === 0 && beyond.length === 0
  return { agentId, status: isAsWanted ? 'as_wanted' : 'differs', differences, beyond, why: [] }
}

interface ToolsAudit {
  /** The ids of the agent's tools by name; a missing tool has its name as id. */
  readonly ids: ToolIds
  readonly differences: readonly Difference[]
  readonly beyond: readonly string[]
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
      const held = await provider.readTool(toolId, signal)
      return held ? [{ toolId, ...held }] : []
    }),
  )
  const found = AgentAction.options.flatMap((action) => {
    const held = read.flat().find(({ tool }) => tool.name === action)
    return held ? [{ action, held }] : []
  })
  const idOf = (action: AgentAction) => found.find((one) => one.action === action)?.held.toolId ?? action
  return {
    ids: recordByAction(idOf),
    differences: found.flatMap(({ action, held }) =>
      differencesOf(wanted[action], held.tool, `tools.${action}`),
    ),
    beyond: found.flatMap(({ action, held }) => held.beyond.map((path) => `tools.${action}.${path}`)),
  }
}
