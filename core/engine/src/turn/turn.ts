import type {
  ApprovalDecision,
  CallId,
  MediaHandle,
  SessionCosts,
  SessionMessage,
  StepId,
  ToolGrant,
  TurnError,
  TurnEvent,
  TurnId,
  UnstampedEvent,
  Usage,
} from '@parley/contracts'
import { NO_USAGE, type StepCost } from '../budget/cost.ts'
import type { Budget } from '../budget/decide-budget.ts'
import type { WindowLimits, PastMessage } from '../window/plan-window.ts'
import type { LlmMessage, ContentPart, ModelPort, ModelRequest } from '../ports/model.ts'
import type { Media } from '../ports/session-store.ts'
import type { ApprovalAnswer, ToolRegistry } from '../ports/tools.ts'

/** A message of a turn, before it has a sequence number. */
export type TurnMessage = Pick<SessionMessage, 'role' | 'modelId' | 'cutShort' | 'marker'> &
  Pick<LlmMessage, 'content'>

export interface Turn {
  readonly id: TurnId
  /** The turn's number in its session, from 1. */
  readonly number: number
  readonly system: string
  /** The session's past and the question: shared, never copied. */
  readonly past: readonly PastMessage[]
  /** The summary of omitted messages. */
  readonly summary?: string
  /** This turn's messages so far. */
  readonly transcript: readonly TurnMessage[]
  readonly steps: number
  readonly usage: Usage
  readonly outOfTokens?: boolean
  readonly failure?: TurnError
  /** The answer that did not fit the agent's `output_schema`, and why: the model gets one more try. */
  readonly invalidAnswer?: { readonly answer: string; readonly problems: string }
  /** The budget warning was sent. */
  readonly isWarned?: boolean
  /** The call that waits for a person: the turn stops here and resumes with their decision. */
  readonly waitingCallId?: CallId
  /** How a resumed turn treats its calls without a result. */
  readonly resumption?: Resumption
}

/** A person decided on one call, or the process died and the calls may have run. */
export type Resumption =
  | { readonly kind: 'decided'; readonly callId: CallId; readonly answer: ApprovalAnswer }
  /** They decided on the next step's cost. */
  | { readonly kind: 'budget-decided'; readonly decision: ApprovalDecision }
  | { readonly kind: 'interrupted'; readonly callIds: ReadonlySet<CallId> }

export interface SessionLimits extends Budget, WindowLimits {
  readonly maxTurns: number
  /** The most steps of a turn; resuming allows as many again. */
  readonly maxToolTurns: number
}

/** A step's streamed output. */
export type StreamedTurnEvent = Extract<TurnEvent, { type: 'agent:token' | 'agent:reasoning' }>

/** A run of text or reasoning, which grows while the model writes. */
export type StreamedPart = Extract<ContentPart, { type: 'text' | 'reasoning' }>

/** The step and its model. */
export type StepRef = Pick<StreamedTurnEvent, 'turnId' | 'stepId' | 'model'>

export interface TurnHost {
  /** In order of use: the agent's own model, then its fallbacks. */
  readonly models: readonly ModelPort[]
  readonly tools: ToolRegistry
  readonly limits: SessionLimits
  readonly maxTokens: number
  readonly temperature?: number
  readonly reasoningEffort?: ModelRequest['reasoningEffort']
  readonly conversation?: ModelRequest['conversation']
  readonly readMedia?: ModelRequest['readMedia']
  /** The JSON Schema of the final answer. */
  readonly outputSchema?: NonNullable<ModelRequest['outputSchema']>
  /** The session's cost so far. */
  readonly costs: () => SessionCosts
  /** Grants for the rest of the session. */
  readonly grants: () => readonly ToolGrant[]
  /** The handle for bytes. */
  readonly toMediaHandle: (bytes: Uint8Array) => MediaHandle
  readonly signal: AbortSignal
  /** Adds text to the part and streams it; it is stored only with its step. Returns a promise if the next word must wait. */
  readonly streamText: (step: StepRef, part: StreamedPart, text: string) => Promise<void> | undefined
  readonly nextStepId: () => StepId
  /** Stores and publishes an event during a model call. */
  readonly announce?: (event: DurableEvent) => Promise<void>
}

/** An event that is stored before it is published. */
export type DurableEvent =
  | Exclude<TurnEvent, StreamedTurnEvent>
  | Extract<UnstampedEvent, { type: 'session:compacting' | 'session:compacted' | 'session:trimmed' }>

/** A turn yields events to store and publish, messages to store, and step costs. */
export type TurnOutput =
  | DurableEvent
  | { readonly type: 'turn:message'; readonly message: TurnMessage; readonly media?: readonly Media[] }
  /** `usage` is that of the turn so far. */
  | { readonly type: 'turn:cost'; readonly cost: StepCost; readonly usage: Usage }

type TurnStart = Pick<Turn, 'id' | 'number' | 'system' | 'past'> &
  Pick<Partial<Turn>, 'transcript' | 'steps' | 'resumption' | 'summary' | 'usage'>

/** A new turn, or a resumed one with its messages so far. */
export function createTurn({ transcript = [], steps = 0, usage = NO_USAGE, ...start }: TurnStart): Turn {
  return { ...start, transcript, steps, usage }
}

/** A decision applies once, to the calls that were open then. */
export function removeResumption(turn: Turn): Turn {
  const { resumption: _, ...rest } = turn
  return rest
}

export const CANCELLED: TurnError = { code: 'cancelled', message: 'The turn was cancelled.', retryable: true }
