import type {
  SessionMessage,
  StepId,
  StopReason,
  ToolCall,
  ToolOutcome,
  TurnError,
  TurnId,
} from '@parley/contracts'

/** A turn as events told it so far. */
export interface ToldTurn {
  readonly turnId: TurnId
  readonly question: SessionMessage
  readonly parts: readonly ToldPart[]
  readonly ending?: { readonly stopReason: StopReason; readonly error?: TurnError }
}

export type ToldPart =
  | { readonly kind: 'text' | 'reasoning'; readonly stepId: StepId; readonly pieces: readonly Piece[] }
  | { readonly kind: 'tool'; readonly call: ToolCall; readonly outcome?: ToolOutcome }

/** What one event said, and the number that it began at: a joined event may take the place of it. */
export interface Piece {
  readonly from: number
  readonly text: string
}
