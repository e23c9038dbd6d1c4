import type { SessionLimits } from '@parley/engine'
import type { ChatSettings } from '../config/chat-rules.ts'

/** What the settings allow a session; what is absent is as the engine has it. */
export function limitsOf(chat: ChatSettings): Partial<SessionLimits> {
  const { max_turns, max_messages, auto_compact, compact_threshold, max_cost_microcents, on_exceed } = chat
  return {
    maxTurns: max_turns,
    maxMessages: max_messages,
    autoCompact: auto_compact,
    compactThreshold: compact_threshold,
    ...(max_cost_microcents !== undefined && { maxCostMicrocents: max_cost_microcents }),
    onExceed: on_exceed,
  }
}
