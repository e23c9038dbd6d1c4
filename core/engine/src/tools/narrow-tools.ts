import type { Agent } from '@parley/contracts'

/** Limits an agent to the tools that the session requested; it never gains others. */
export function narrowTools(agent: Agent, requested: readonly string[] | undefined): Agent {
  if (requested === undefined) return agent
  return { ...agent, tools: (agent.tools ?? []).filter((tool) => requested.includes(tool)) }
}
