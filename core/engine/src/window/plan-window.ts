import type { AgentMemory } from '@parley/contracts'
import { estimateMessageTokens } from '../budget/estimate-tokens.ts'
import type { LlmMessage } from '../ports/model.ts'

/** How much of the past is kept, by count and by the model's window. */
export interface WindowLimits {
  readonly maxMessages: number
  readonly autoCompact: boolean
  /** The share of the window that may be used before the past is summarised. */
  readonly compactThreshold: number
  /** Older messages are summarised instead of dropped. */
  readonly summarisesOldest?: boolean
}

/** A past message, with its sequence number if it is stored. */
export type PastMessage = LlmMessage & { readonly sequenceNumber?: number }

export interface WindowState {
  /** Completed turns, notes on the others, and the question last. */
  readonly past: readonly PastMessage[]
  /** Tokens of the rest of the request: system prompt, tools, the turn's own messages. */
  readonly otherTokens: number
  readonly contextWindow: number | undefined
  readonly maxTokens: number
}

/** `keep` is the number of past messages that stay. */
export type WindowPlan =
  | { readonly kind: 'as-is' }
  | { readonly kind: 'trim' | 'compact'; readonly keep: number }
  | { readonly kind: 'too-long' }

/** Keep 75 % of the maximum, so that the next turns need no shortening. */
const KEPT_SHARE = 0.75
/** The share of the window for the messages that are not summarised. */
const KEPT_SHARE_OF_WINDOW = 0.25

export function planWindow(state: WindowState, limits: WindowLimits): WindowPlan {
  const { past, otherTokens, contextWindow, maxTokens } = state
  const { maxMessages, autoCompact, compactThreshold, summarisesOldest = false } = limits
  if (contextWindow !== undefined) {
    const room = contextWindow - maxTokens
    const counts = past.map(estimateMessageTokens)
    const used = otherTokens + counts.reduce((sum, count) => sum + count, 0)
    if (otherTokens + (counts.at(-1) ?? 0) > room) return { kind: 'too-long' }
    if (autoCompact && used > Math.min(room, compactThreshold * contextWindow)) {
      const keep = countLastTurns(
        past,
        contextWindow * KEPT_SHARE_OF_WINDOW - otherTokens,
        estimateMessageTokens,
      )
      if (keep < past.length) return { kind: 'compact', keep }
    }
    if (used > room)
      return { kind: 'trim', keep: countLastTurns(past, room - otherTokens, estimateMessageTokens) }
  }
  if (past.reduce((sum, message) => sum + countMessage(message), 0) > maxMessages) {
    const keep = Math.max(
      countLastTurns(past, Math.floor(maxMessages * KEPT_SHARE), countMessage),
      countLastTurnWithTools(past),
    )
    if (keep < past.length) return { kind: summarisesOldest ? 'compact' : 'trim', keep }
  }
  return { kind: 'as-is' }
}

/** Tool results and notes on unanswered turns do not count. */
const countMessage = ({ role, isNote }: PastMessage): number => (isNote || role === 'tool' ? 0 : 1)

const isQuestion = ({ role, isNote }: PastMessage): boolean => role === 'user' && !isNote

/** The last turn stays whole if it called tools: the question is probably about it. */
function countLastTurnWithTools(past: readonly PastMessage[]): number {
  const start = past.findLastIndex((message, index) => isQuestion(message) && index < past.length - 1)
  return past.slice(start).some(({ role }) => role === 'tool') ? past.length - start : 0
}

/** The past that a model gets: everything since the last marker, and the marker's summary. */
export interface SessionPast {
  readonly past: readonly PastMessage[]
  readonly summary?: string
}

/** The part of the past that the agent's memory setting keeps. */
export function selectRemembered(known: SessionPast, memory: AgentMemory | undefined): SessionPast {
  if (!memory || memory.type === 'summary') return known
  if (memory.type === 'none') return { past: [] }
  const questions = known.past.flatMap((message, index) => (isQuestion(message) ? [index] : []))
  return { past: known.past.slice(questions.at(-memory.window_size) ?? 0) }
}

/** Counts the last messages, in whole turns, that fit into the limit by this measure; the question always stays. */
function countLastTurns(
  past: readonly PastMessage[],
  limit: number,
  measure: (message: PastMessage) => number,
): number {
  let left = limit
  let kept = 1
  for (let count = 1; count <= past.length; count += 1) {
    const message = past[past.length - count]
    if (!message) break
    left -= measure(message)
    if (left < 0) break
    if (message.role === 'user') kept = count
  }
  return kept
}
