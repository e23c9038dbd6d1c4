import type { SessionMessage, StopReason, ToolCall, ToolOutcome, TurnError } from '@parley/contracts'

/** A question and what answers it, as it is shown. */
export interface TranscriptTurn {
  /** The number of its first message. */
  readonly key: number
  readonly question?: SessionMessage
  readonly parts: readonly AnswerPart[]
  /** `unanswered`: it ended and nothing says how. */
  readonly state: 'running' | 'unanswered' | StopReason
  readonly error?: TurnError
}

export type AnswerPart =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'tool'; readonly call: ToolCall; readonly outcome?: ToolOutcome }
