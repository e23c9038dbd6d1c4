import type { AgentMemory } from '@parley/contracts'
import { tokensOfMessage } from '../budget/estimate-tokens.ts'
import type { LlmMessage } from '../ports/model.ts'

/** What is kept of the past, by count and by the model's window. */
export interface ContextLimits {
  readonly maxMessages: number
  readonly autoCompact: boolean
  /** The part of the window that may be full before the past is summarised. */
  readonly compactThreshold: number
  /** A summary stands for what is past the most messages, in place of leaving it out. */
  readonly summarisesOldest?: boolean
}

/** A message of the past; its number where it has a place in a session. */
export type PastMessage = LlmMessage & { readonly sequenceNumber?: number }

export interface ContextState {
  /** Turns that came to their end, notes on those that did not, and the question last. */
  readonly past: readonly PastMessage[]
  /** What all the rest of the request takes: system prompt, tools, the turn's own messages. */
  readonly otherTokens: number
  readonly contextWindow: number | undefined
  readonly maxTokens: number
}

/** `keep` is how many messages of the past stay. */
export type ContextPlan =
  | { readonly kind: 'as-is' }
  | { readonly kind: 'trim' | 'compact'; readonly keep: number }
  | { readonly kind: 'too-long' }

/** Past messages that stay when there are too many: fewer than the most, so that not every turn is shortened. */
const KEPT_OF_MOST = 0.75
/** How full the window may be with what a summary leaves as it is. */
const KEPT_OF_WINDOW = 0.25

export function planContext(state: ContextState, limits: ContextLimits): ContextPlan {
  const { past, otherTokens, contextWindow, maxTokens } = state
  const { maxMessages, autoCompact, compactThreshold, summarisesOldest = false } = limits
  if (contextWindow !== undefined) {
    const room = contextWindow - maxTokens
    const counts = past.map(tokensOfMessage)
    const used = otherTokens + counts.reduce((sum, count) => sum + count, 0)
    if (otherTokens + (counts.at(-1) ?? 0) > room) return { kind: 'too-long' }
    if (autoCompact && used > Math.min(room, compactThreshold * contextWindow)) {
      const keep = lastTurns(past, contextWindow * KEPT_OF_WINDOW - otherTokens, tokensOfMessage)
      if (keep < past.length) return { kind: 'compact', keep }
    }
    if (used > room) return { kind: 'trim', keep: lastTurns(past, room - otherTokens, tokensOfMessage) }
  }
  if (past.reduce((sum, message) => sum + countOf(message), 0) > maxMessages) {
    const keep = Math.max(
      lastTurns(past, Math.floor(maxMessages * KEPT_OF_MOST), countOf),
      lastTurnWithTools(past),
    )
    if (keep < past.length) return { kind: summarisesOldest ? 'compact' : 'trim', keep }
  }
  return { kind: 'as-is' }
}

/** A step counts once, however many tools it called. A note on a turn without an answer pushes nothing out. */
const countOf = ({ role, isNote }: PastMessage): number => (isNote || role === 'tool' ? 0 : 1)

const isQuestion = ({ role, isNote }: PastMessage): boolean => role === 'user' && !isNote

/** A turn with more results of tools than may be kept stays all the same: the question is likely to be about it. */
function lastTurnWithTools(past: readonly PastMessage[]): number {
  const start = past.findLastIndex((message, index) => isQuestion(message) && index < past.length - 1)
  return past.slice(start).some(({ role }) => role === 'tool') ? past.length - start : 0
}

/** What a model is given of a session before a new question. */
export interface Recalled {
  readonly past: readonly PastMessage[]
  readonly summary?: string
}

/** What an agent's memory leaves of it. */
export function recall(known: Recalled, memory: AgentMemory | undefined): Recalled {
  if (!memory || memory.type === 'summary') return known
  if (memory.type === 'none') return { past: [] }
  const questions = known.past.flatMap((message, index) => (isQuestion(message) ? [index] : []))
  return { past: known.past.slice(questions.at(-memory.window_size) ?? 0) }
}

/** How many of the last messages, in whole turns, weigh no more than this; the question always stays. */
function lastTurns(
  past: readonly PastMessage[],
  most: number,
  weigh: (message: PastMessage) => number,
): number {
  let left = most
  let kept = 1
  for (let count = 1; count <= past.length; count += 1) {
    const message = past[past.length - count]
    if (!message) break
    left -= weigh(message)
    if (left < 0) break
    if (message.role === 'user') kept = count
  }
  return kept
}
