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
import type { ContextLimits, PastMessage } from '../context/plan-context.ts'
import type { LlmMessage, ContentPart, ModelPort, ModelRequest } from '../ports/model.ts'
import type { Media } from '../ports/session-store.ts'
import type { Answer, ToolRegistry } from '../ports/tools.ts'

/** A message that a turn brought about, before it has its place in a session. */
export type TurnMessage = Pick<SessionMessage, 'role' | 'modelId' | 'cutShort' | 'marker'> &
  Pick<LlmMessage, 'content'>

export interface Turn {
  readonly id: TurnId
  /** Which turn of its session, from 1. */
  readonly number: number
  readonly system: string
  /** The session's past and the question: shared, never copied. */
  readonly past: readonly PastMessage[]
  /** What stands in place of messages that are no longer given. */
  readonly summary?: string
  /** What this turn brought about so far. */
  readonly transcript: readonly TurnMessage[]
  readonly steps: number
  readonly usage: Usage
  readonly outOfTokens?: boolean
  readonly failure?: TurnError
  /** The answer that did not fit the agent's `output_schema`, and why: the model is asked once more. */
  readonly misfit?: { readonly answer: string; readonly flaws: string }
  /** That the budget is passed was told. */
  readonly isWarned?: boolean
  /** The call that waits for a person: the turn is put down here and taken up with their decision. */
  readonly waitsFor?: CallId
  /** What became of the calls without a result of a turn that is taken up again. */
  readonly takenUp?: TakenUp
}

/** A person decided on one call, or the process died and it is not known whether the calls ran. */
export type TakenUp =
  | { readonly kind: 'decided'; readonly callId: CallId; readonly answer: Answer }
  /** They decided on the next step's cost. */
  | { readonly kind: 'paid-for'; readonly decision: ApprovalDecision }
  | { readonly kind: 'interrupted'; readonly callIds: ReadonlySet<CallId> }

export interface SessionLimits extends Budget, ContextLimits {
  readonly maxTurns: number
  /** How many steps a turn has at most; one that is continued has as many again. */
  readonly maxToolTurns: number
}

/** What a step says, as it comes. */
export type SpokenEvent = Extract<TurnEvent, { type: 'agent:token' | 'agent:reasoning' }>

/** A run of text or reasoning, which grows while the model speaks. */
export type SaidPart = Extract<ContentPart, { type: 'text' | 'reasoning' }>

/** Which step of a turn speaks, and by which model. */
export type Step = Pick<SpokenEvent, 'turnId' | 'stepId' | 'model'>

export interface TurnHost {
  /** In the order in which they are asked: the agent's own, and its fallbacks. */
  readonly models: readonly ModelPort[]
  readonly tools: ToolRegistry
  readonly limits: SessionLimits
  readonly maxTokens: number
  readonly temperature?: number
  readonly reasoningEffort?: ModelRequest['reasoningEffort']
  readonly conversation?: ModelRequest['conversation']
  readonly readMedia?: ModelRequest['readMedia']
  /** The JSON Schema that a final answer has to fit. */
  readonly outputSchema?: NonNullable<ModelRequest['outputSchema']>
  /** What the session has cost so far. */
  readonly costs: () => SessionCosts
  /** What was allowed for the rest of the session. */
  readonly grants: () => readonly ToolGrant[]
  /** The handle under which bytes are kept. */
  readonly handleOf: (bytes: Uint8Array) => MediaHandle
  readonly signal: AbortSignal
  /** Adds to the part and tells it as it comes, since it is kept only with its step; a promise where the next word has to wait. */
  readonly say: (step: Step, part: SaidPart, text: string) => Promise<void> | undefined
  readonly nextStepId: () => StepId
  /** Keeps and tells an event while a model is being asked. */
  readonly announce?: (event: KeptEvent) => Promise<void>
}

/** An event that is stored before it is told. */
export type KeptEvent =
  | Exclude<TurnEvent, SpokenEvent>
  | Extract<UnstampedEvent, { type: 'session:compacting' | 'session:compacted' | 'session:trimmed' }>

/** What a turn yields: an event to keep and tell, a message to keep, or what a step has cost. */
export type TurnOutput =
  | KeptEvent
  | { readonly type: 'turn:message'; readonly message: TurnMessage; readonly media?: readonly Media[] }
  /** `usage` is that of the turn so far. */
  | { readonly type: 'turn:cost'; readonly cost: StepCost; readonly usage: Usage }

type Opening = Pick<Turn, 'id' | 'number' | 'system' | 'past'> &
  Pick<Partial<Turn>, 'transcript' | 'steps' | 'takenUp' | 'summary' | 'usage'>

/** A new turn, or one that is taken up again with what it has brought about. */
export function openTurn({ transcript = [], steps = 0, usage = NO_USAGE, ...opening }: Opening): Turn {
  return { ...opening, transcript, steps, usage }
}

export const CANCELLED: TurnError = { code: 'cancelled', message: 'The turn was cancelled.', retryable: true }
