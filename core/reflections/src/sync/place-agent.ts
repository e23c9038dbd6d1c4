import type { HeldAgent, VoiceProvider } from '../ports/voice-provider.ts'
import type { AgentTemplate } from '../template/agent-template.ts'

export interface Placement {
  readonly template: AgentTemplate
  /** The agent that is known here, and of which it is known how the provider filled it in when it was made. */
  readonly held?: string | undefined
  /** What ends the name of this agent and of no other. */
  readonly mark: string
}

export interface Placed {
  readonly agentId: string
  /** What the provider filled in, where it was made just now. */
  readonly made?: HeldAgent['rest']
}

/**
 * The agent, made as the template says: the known one, or a new one in place of all that bear its name. What somebody
 * changed in an agent that was not just made would pass for what the provider fills in.
 */
export async function placeAgent(
  { template, held, mark }: Placement,
  provider: VoiceProvider,
  signal: AbortSignal,
): Promise<Placed> {
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
