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
  | { readonly kind: 'text' | 'reasoning'; readonly stepId: StepId; readonly last: Piece }
  | { readonly kind: 'tool'; readonly call: ToolCall; readonly outcome?: ToolOutcome }

/** All that was said up to and with one event: a chain, so that a joined event can take the place of its end. */
export interface Piece {
  /** The number that the event began at. */
  readonly from: number
  readonly text: string
  readonly before: Piece | undefined
}
