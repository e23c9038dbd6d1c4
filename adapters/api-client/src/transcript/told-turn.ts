import type { SessionMessage, StepId, StopReason, TurnError, TurnId } from '@parley/contracts'
import type { AnswerPart, WaitingCall } from './transcript-turn.ts'

/** A turn as events told it so far. */
export interface ToldTurn {
  /** The latest of its ids: it has one more each time that it is gone on with. */
  readonly turnId: TurnId
  /** The number of the event that started it under that id. */
  readonly startedAt: number
  /** The question, or the greeting that a call began with. */
  readonly opening: SessionMessage
  readonly parts: readonly ToldPart[]
  readonly waitsFor?: WaitingCall
  readonly ending?: { readonly stopReason: StopReason; readonly error?: TurnError }
}

export type ToldPart =
  | { readonly kind: 'text' | 'reasoning'; readonly stepId: StepId; readonly last: Piece }
  | Extract<AnswerPart, { kind: 'tool' }>

/** All that was said up to and with one event: a chain, so that a joined event can take the place of its end. */
export interface Piece {
  /** The number that the event began at. */
  readonly from: number
  readonly text: string
  readonly before: Piece | undefined
}
