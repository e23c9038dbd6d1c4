import type { AgentDocument } from './agents/agent-document.ts'

export interface CallLimits {
  /** Spoken ones keep a processor busy. */
  readonly spoken: number
  readonly typed: number
}

/** Why a further call to an agent is not taken, besides those that run; undefined where it is. */
export function whyFull(
  agent: AgentDocument,
  running: readonly AgentDocument[],
  limits: CallLimits,
): string | undefined {
  const { agent_concurrency_limit: most, bursting_enabled } = agent.platform_settings.call_limits
  const ofAgent = running.filter(({ agentId }) => agentId === agent.agentId).length
  // An agent that may burst takes three times its limit.
  if (most >= 0 && ofAgent >= (bursting_enabled ? most * 3 : most))
    return 'The agent has as many conversations as it may have.'
  const kind = kindOf(agent)
  const limit = limits[kind]
  const ofKind = running.filter((other) => kindOf(other) === kind).length
  if (ofKind >= limit) return `The provider has ${limit} ${kind} calls, which is as many as it takes at once.`
  return undefined
}

/** One that its client may make a spoken one counts as such. */
const kindOf = ({ conversation_config, platform_settings }: AgentDocument): keyof CallLimits => {
  const mayChange = platform_settings.overrides.conversation_config_override.conversation.text_only
  return conversation_config.conversation.text_only && !mayChange ? 'typed' : 'spoken'
}
