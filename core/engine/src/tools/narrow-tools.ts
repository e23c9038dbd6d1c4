import type { Agent } from '@parley/contracts'

/** The agent as a session has it that asked for some of its tools: it never gets others. */
export function narrowTools(agent: Agent, asked: readonly string[] | undefined): Agent {
  if (asked === undefined) return agent
  return { ...agent, tools: (agent.tools ?? []).filter((tool) => asked.includes(tool)) }
}
