import type {
  CallId,
  OpenTurn,
  Preview,
  SessionMessage,
  StopReason,
  ToolCall,
  ToolGrant,
  ToolOutcome,
  TurnError,
} from '@parley/contracts'

/** A question and what answers it, as it is shown; a turn that was gone on with is one with what went before. */
export interface TranscriptTurn {
  /** The number of its first message. */
  readonly key: number
  readonly question?: SessionMessage
  readonly parts: readonly AnswerPart[]
  /** `unanswered`: it ended and nothing says how. */
  readonly state: OpenTurn['state'] | 'unanswered' | StopReason
  readonly error?: TurnError
  /** The call that a person is to decide on, where the turn waits. */
  readonly waitsFor?: WaitingCall
}

export type AnswerPart =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'tool'; readonly call: ToolCall; readonly outcome?: ToolOutcome }

export interface WaitingCall {
  readonly callId: CallId
  readonly tool: string
  /** What the call would reach: a path, a host, a command. */
  readonly target: string
  readonly preview?: Preview | undefined
  /** Of exactly what is asked: an answer that names it counts for nothing else. */
  readonly inputHash?: string | undefined
  /** What an answer for the whole session would allow; absent where none may hold so long. */
  readonly grant?: ToolGrant | undefined
}
