import { z } from 'zod'
import { ToolCall, ToolOutcome } from './content-part.ts'
import { TurnErrorCode } from './error-code.ts'
import { CallId, PersonId, SessionId, StepId, TurnId } from './ids.ts'
import { SessionContextSchema } from './session-context.ts'
import { SessionMessageSchema } from './session-message.ts'
import { ToolGrant } from './tool-grant.ts'

export const StopReason = z.enum(['completed', 'max_tokens', 'cancelled', 'error'])
export type StopReason = z.infer<typeof StopReason>

export const TurnError = z.object({ code: TurnErrorCode, message: z.string(), retryable: z.boolean() })
export type TurnError = z.infer<typeof TurnError>

/** Tokens. `inputTokens` counts all input; of these, some came from the provider's cache or went into it. */
export const Usage = z.object({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  cachedInputTokens: z.int().min(0).optional(),
  cacheWriteTokens: z.int().min(0).optional(),
})
export type Usage = z.infer<typeof Usage>

/** What a person says to a call that waits for them: yes to it alone, to all like it in this session, or no. */
export const ApprovalDecision = z.enum(['allow', 'allow_session', 'refuse'])
export type ApprovalDecision = z.infer<typeof ApprovalDecision>

/** What a person is shown to judge a call by. */
export const Preview = z.object({ kind: z.enum(['diff', 'text']), text: z.string() })
export type Preview = z.infer<typeof Preview>

/** The hash of a call, exactly: its tool, its input, what it reaches and what that looked like. */
export const InputHash = z.string().regex(/^[0-9a-f]{64}$/, 'the inputHash of agent:approval_requested')

/** What the door decided of a call. */
export const Verdict = z.enum(['allowed', 'refused'])

/** What settled it: that there is no such tool for this agent, its input, the policy, a grant, a person. */
export const DecidedBy = z.enum(['grant', 'schema', 'policy', 'session', 'person', 'unattended'])

const ofTurn = { turnId: TurnId }
const ofStep = { turnId: TurnId, stepId: StepId }
const ofCall = { turnId: TurnId, callId: CallId }

/** What happens within one turn; producers yield these, and one place stamps them. */
export const TurnEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session:turn_started'),
    ...ofTurn,
    /** What opened it: the person's, or the agent's own where a call begins with its greeting. */
    message: SessionMessageSchema,
    /** Where the message was asked before and its turn came to no answer: this turn goes on with it. */
    continued: z.literal(true).optional(),
  }),
  z.object({
    type: z.literal('session:turn_completed'),
    ...ofTurn,
    stopReason: StopReason,
    error: TurnError.optional(),
    /** Of the whole turn: all steps, models and summaries. */
    usage: Usage,
  }),
  z.object({ type: z.literal('session:cancelled'), ...ofTurn }),
  z.object({ type: z.literal('agent:token'), ...ofStep, token: z.string(), model: z.string() }),
  z.object({ type: z.literal('agent:reasoning'), ...ofStep, text: z.string(), model: z.string() }),
  z.object({ type: z.literal('agent:step_discarded'), ...ofStep }),
  z.object({
    type: z.literal('agent:retry_scheduled'),
    ...ofStep,
    model: z.string(),
    /** Why the last attempt failed, before it said anything. */
    error: TurnError,
    waitMs: z.int().min(0),
  }),
  z.object({ type: z.literal('agent:tool_call'), ...ofCall, call: ToolCall }),
  z.object({ type: z.literal('agent:tool_result'), ...ofCall, outcome: ToolOutcome }),
  z.object({
    type: z.literal('agent:tool_decided'),
    ...ofCall,
    tool: z.string(),
    target: z.string().optional(),
    verdict: Verdict,
    by: DecidedBy,
    reason: z.string().optional(),
    inputHash: InputHash.optional(),
  }),
  z.object({
    type: z.literal('agent:approval_requested'),
    ...ofCall,
    tool: z.string(),
    target: z.string(),
    preview: Preview.optional(),
    inputHash: InputHash.optional(),
    /** What `allow_session` would allow; where absent, each call is asked for. */
    grant: ToolGrant.optional(),
    /** Of the turn so far. */
    usage: Usage.optional(),
  }),
  z.object({
    type: z.literal('agent:approval_answered'),
    ...ofCall,
    decision: ApprovalDecision,
    by: PersonId.optional(),
    /** Nobody was there to be asked, which means no. */
    unattended: z.literal(true).optional(),
  }),
  z.object({
    type: z.literal('cost:updated'),
    ...ofTurn,
    model: z.string(),
    /** Of the session so far. */
    totalMicrocents: z.int(),
    /** Of the turn so far. */
    usage: Usage.optional(),
  }),
  z.object({
    type: z.literal('budget:warning'),
    ...ofTurn,
    totalMicrocents: z.int(),
    maxMicrocents: z.int(),
  }),
  z.object({ type: z.literal('budget:paused'), ...ofTurn, totalMicrocents: z.int(), maxMicrocents: z.int() }),
])
export type TurnEvent = z.infer<typeof TurnEvent>

const SESSION_ONLY_EVENTS = [
  z.object({
    type: z.literal('session:started'),
    agent: z.object({ id: z.string(), name: z.string().optional(), model: z.string(), provider: z.string() }),
    context: SessionContextSchema,
  }),
  z.object({ type: z.literal('session:exported'), format: z.string() }),
  // Where a turn shortens its own past, they are that turn's.
  z.object({ type: z.literal('session:compacting'), turnId: TurnId.optional() }),
  z.object({ type: z.literal('session:compacted'), turnId: TurnId.optional(), uptoSequence: z.int() }),
  z.object({ type: z.literal('session:trimmed'), turnId: TurnId.optional(), uptoSequence: z.int() }),
] as const

export const UnstampedEvent = z.discriminatedUnion('type', [...TurnEvent.options, ...SESSION_ONLY_EVENTS])
export type UnstampedEvent = z.infer<typeof UnstampedEvent>

/** Names that are kept free for steering; nothing sends them. */
export const RESERVED_EVENT_TYPES = [
  'agent:directive_injected',
  'agent:context_compacted',
  'agent:context_cleared',
] as const

export const EventEnvelope = z.object({
  sessionId: SessionId,
  sequenceNumber: z.int().positive(),
  /** The first number that this event stands for, where it stands for more than its own. */
  fromSequence: z.int().positive().optional(),
  timestamp: z.iso.datetime(),
})
export type EventEnvelope = z.infer<typeof EventEnvelope>

export const SessionEvent = z.intersection(EventEnvelope, UnstampedEvent)
export type SessionEvent = EventEnvelope & UnstampedEvent
