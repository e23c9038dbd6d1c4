import { AgentContent } from '../agents/agent-bodies.ts'
import type { AgentDocument } from '../agents/agent-document.ts'
import { mergeConfig } from '../agents/merge-config.ts'
import { Unprocessable } from '../rest/unprocessable.ts'

/** The agent with what is to be otherwise for its tests. */
export function overriddenAgent(agent: AgentDocument, override: unknown): AgentDocument {
  if (override === undefined || override === null) return agent
  const { conversation_config, platform_settings } = agent
  const merged = mergeConfig({ conversation_config, platform_settings }, override)
  const parsed = AgentContent.pick({ conversation_config: true, platform_settings: true }).safeParse(merged)
  if (!parsed.success) throw Unprocessable.fromIssues('body', parsed.error.issues, merged)
  return { ...agent, ...parsed.data }
}
