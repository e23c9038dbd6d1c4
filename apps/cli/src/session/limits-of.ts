import type { SessionLimits } from '@parley/engine'
import type { ChatSettings } from '../config/chat-rules.ts'

/** What the settings allow a session; what is absent is as the engine has it. */
export function limitsOf(chat: ChatSettings): Partial<SessionLimits> {
  const { max_cost_microcents } = chat
  return {
    maxTurns: chat.max_turns,
    maxToolTurns: chat.max_tool_turns,
    maxMessages: chat.max_messages,
    autoCompact: chat.auto_compact,
    compactThreshold: chat.compact_threshold,
    ...(max_cost_microcents !== undefined && { maxCostMicrocents: max_cost_microcents }),
    onExceed: chat.on_exceed,
  }
}
