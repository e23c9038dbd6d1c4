import { z } from 'zod'
import { TurnErrorCode } from './errors.ts'
import { CallId, PersonId, SessionId, StepId, TurnId } from './ids.ts'
import { SessionMessageSchema, ToolCall, ToolOutcome } from './session-message.ts'
import { SessionContextSchema, ToolGrant } from './session.ts'

export const StopReason = z.enum(['completed', 'max_tokens', 'cancelled', 'error'])
export type StopReason = z.infer<typeof StopReason>

export const TurnError = z.object({ code: TurnErrorCode, message: z.string(), retryable: z.boolean() })
export type TurnError = z.infer<typeof TurnError>

/** Token counts. `inputTokens` includes those read from and written to the provider's cache. */
export const Usage = z.object({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  cachedInputTokens: z.int().min(0).optional(),
  cacheWriteTokens: z.int().min(0).optional(),
})
export type Usage = z.infer<typeof Usage>

/** A person's decision on a waiting call: allow it, allow all like it in this session, or refuse it. */
export const ApprovalDecision = z.enum(['allow', 'allow_session', 'refuse'])
export type ApprovalDecision = z.infer<typeof ApprovalDecision>

/** Shown to the person who decides on a call. */
export const Preview = z.object({ kind: z.enum(['diff', 'text']), text: z.string() })
export type Preview = z.infer<typeof Preview>

/** The hash of a call: its tool, its input, its target and the target's state. */
export const InputHash = z.string().regex(/^[0-9a-f]{64}$/, 'the inputHash of agent:approval_requested')

/** The tool registry's decision on a call. */
export const ToolDecision = z.enum(['allowed', 'refused'])

/** What decided: the agent has no such tool, its input, the policy, a session grant, or a person. */
export const DecidedBy = z.enum(['grant', 'schema', 'policy', 'session', 'person', 'unattended'])

const ofTurn = { turnId: TurnId }
const ofStep = { turnId: TurnId, stepId: StepId }
const ofCall = { turnId: TurnId, callId: CallId }

/** The events of one turn. Producers yield them, and one place stamps them. */
export const TurnEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session:turn_started'),
    ...ofTurn,
    /** The person's message, or the agent's greeting at the start of a call. */
    message: SessionMessageSchema,
    /** This turn resumes an earlier turn of the same message, which has no answer. */
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
    /** Why the last attempt failed, before any output. */
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
    verdict: ToolDecision,
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
    /** The grant of `allow_session`; if absent, each call needs its own approval. */
    grant: ToolGrant.optional(),
    /** Of the turn so far. */
    usage: Usage.optional(),
  }),
  z.object({
    type: z.literal('agent:approval_answered'),
    ...ofCall,
    decision: ApprovalDecision,
    by: PersonId.optional(),
    /** No person was available, so the call was refused. */
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
  // Sent with a turn id if a turn shortens its own past.
  z.object({ type: z.literal('session:compacting'), turnId: TurnId.optional() }),
  z.object({ type: z.literal('session:compacted'), turnId: TurnId.optional(), uptoSequence: z.int() }),
  z.object({ type: z.literal('session:trimmed'), turnId: TurnId.optional(), uptoSequence: z.int() }),
] as const

export const UnstampedEvent = z.discriminatedUnion('type', [...TurnEvent.options, ...SESSION_ONLY_EVENTS])
export type UnstampedEvent = z.infer<typeof UnstampedEvent>

/** Reserved for later use; never sent. */
export const RESERVED_EVENT_TYPES = [
  'agent:directive_injected',
  'agent:context_compacted',
  'agent:context_cleared',
] as const

export const EventEnvelope = z.object({
  sessionId: SessionId,
  sequenceNumber: z.int().positive(),
  /** The first number that this event covers, if it covers more than its own. */
  fromSequence: z.int().positive().optional(),
  timestamp: z.iso.datetime(),
})
export type EventEnvelope = z.infer<typeof EventEnvelope>

export type SessionEvent = EventEnvelope & UnstampedEvent
const stamp = ({ shape }: z.ZodObject) => z.object({ ...EventEnvelope.shape, ...shape })
const [firstEvent, ...otherEvents] = UnstampedEvent.options
// The type of each option is lost in `map`.
export const SessionEvent = z.discriminatedUnion('type', [
  stamp(firstEvent),
  ...otherEvents.map(stamp),
]) as z.ZodType as z.ZodType<SessionEvent>
