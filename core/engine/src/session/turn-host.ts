import type { Agent } from '@parley/contracts'
import type { TurnHost, TurnLimits } from '../turn/turn.ts'
import type { SessionsHost } from './sessions-host.ts'

const DEFAULT_LIMITS: TurnLimits = { maxTurns: 50, maxSteps: 25 }

const DEFAULT_MAX_TOKENS = 4_096

/** What a turn of this agent runs with; throws where its provider is not to be had, before anything is stored. */
export function turnHostOf(
  agent: Agent,
  { modelOf, toolsOf, limits = {} }: SessionsHost,
): Omit<TurnHost, 'signal' | 'say' | 'nextStepId'> {
  return {
    model: modelOf(agent),
    tools: toolsOf(agent),
    limits: {
      maxTurns: limits.maxTurns || DEFAULT_LIMITS.maxTurns,
      maxSteps: limits.maxSteps || DEFAULT_LIMITS.maxSteps,
    },
    maxTokens: agent.max_tokens ?? DEFAULT_MAX_TOKENS,
    ...(agent.temperature !== undefined && { temperature: agent.temperature }),
  }
}
