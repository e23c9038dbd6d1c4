import { z } from 'zod'
import { Audience, SessionMode, Surface } from './access.ts'
import { AgentAction } from './agent-actions.ts'
import { WrittenAgent } from './agent.ts'
import { CallId, kebabIdSchema, ReflectionId, SessionId, TurnId } from './ids.ts'
import { EvidenceItem } from './knowledge.ts'
import { createPageSchema, PageQuery } from './page.ts'
import { NamespaceName } from './reflection.ts'
import {
  ApprovalDecision,
  DecidedBy,
  InputHash,
  Preview,
  StopReason,
  Usage,
  ToolDecision,
} from './session-event.ts'
import { SessionMessageSchema } from './session-message.ts'
import { AgentSessionSchema, Channel, OpenTurn, ListedSessionStatus, ToolGrant } from './session.ts'
import { strictObject } from './strict-object.ts'
import { SessionTitle } from './text.ts'

/** The state of a session with a reflection, and its current permissions. */
export const SessionReflection = z.object({
  /** For members only. */
  id: ReflectionId.optional(),
  displayName: z.string(),
  mode: SessionMode,
  audience: Audience,
  surface: Surface,
  actions: z.array(AgentAction),
  /** The namespaces it may search; for a public session, those that are published now. */
  namespaces: z.array(NamespaceName),
  /** Whether its transcript is stored and learned from, only stored, or neither. */
  ingestion: z.enum(['ingest', 'keep-only', 'off-record']),
  status: z.enum(['starting', 'active', 'failed', 'ended']),
  /** The transcript of a call: not expected, expected, or stored. */
  transcript: z.enum(['none', 'pending', 'stored']),
  /** Why it failed or was ended. */
  failure: z.string().optional(),
})
export type SessionReflection = z.infer<typeof SessionReflection>

/** A session as clients see it, without the agent's prompt. */
export const SessionView = AgentSessionSchema.omit({ agentSnapshot: true, ownerId: true }).extend({
  sessionId: SessionId,
  /** `failed`: it did not start; only the reason is stored. */
  status: ListedSessionStatus,
  /** The error code of a failed session. */
  failure: z.string().optional(),
  agentName: z.string().optional(),
  model: z.string(),
  provider: z.string(),
  /** The last used or reserved event number: a reader with all messages can start here. */
  lastSequence: z.int().min(0),
  openTurn: OpenTurn.optional(),
  /** Whether the caller may send messages; an admin may read more sessions than that. */
  mayWrite: z.boolean(),
  /** The name of the session's person if that is not the caller; `Visitor` for a visitor by share link. */
  ownerLabel: z.string().optional(),
  /** Only in responses about a single session with a reflection. */
  reflection: SessionReflection.optional(),
})
export type SessionView = z.infer<typeof SessionView>

/** All given filters must match. */
export const ListSessions = PageQuery.extend({
  /** Words of the title or a message, in any case. */
  search: z.string().trim().min(1).max(200).optional(),
  channel: Channel.optional(),
  status: ListedSessionStatus.optional(),
  /** The open turn's state: waiting for a person. */
  turn: z.literal('waiting', { error: 'must be "waiting"' }).optional(),
  reflectionId: ReflectionId.optional(),
  /** `all`, for admins: every session that they may read. */
  whose: z.enum(['own', 'all']).default('own'),
})
export type ListSessions = z.infer<typeof ListSessions>

export const ListedSession = SessionView.extend({ reflectionId: ReflectionId.optional() })
export type ListedSession = z.infer<typeof ListedSession>

export const SessionPage = createPageSchema(ListedSession)
export type SessionPage = z.infer<typeof SessionPage>

export const RenameSession = strictObject({ title: SessionTitle })
export type RenameSession = z.infer<typeof RenameSession>

export const ResumeSession = strictObject({
  /** Resumes the last turn if it has no answer. */
  continue: z.boolean().default(false),
})
export type ResumeSession = z.input<typeof ResumeSession>

export const ForkSession = strictObject({ agent: WrittenAgent.optional(), agentId: kebabIdSchema.optional() })
export type ForkSession = z.infer<typeof ForkSession>

/** How many of the last messages the model still gets; the transcript keeps all. */
export const TrimSession = strictObject({ keep: z.int().min(0).max(1_000_000) })

/** How many messages the model got before, and gets from now on. */
export const ShortenedSession = z.object({
  messagesBefore: z.int().min(0),
  messagesAfter: z.int().min(0),
})
export type ShortenedSession = z.infer<typeof ShortenedSession>

/** A client's name for a request: the same request with the same key is carried out once. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'up to 200 printable characters without spaces')

/** For callers without a token: the key alone gets the same response, with its credential. */
export const SecretIdempotencyKey = IdempotencyKey.min(32, 'at least 32 characters: use a random UUID')

/** The longest message of a person, in UTF-16 units. */
export const MAX_MESSAGE_LENGTH = 1_000_000

/** Media of a message, as base64. */
const InlineMedia = strictObject({
  mediaType: z.string().regex(/^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,100}$/, 'a media type, such as image/png'),
  data: z.base64().min(4),
  name: z.string().min(1).max(200).optional(),
})

export const SendMessage = strictObject({
  text: z.string().min(1).max(MAX_MESSAGE_LENGTH),
  media: z.array(InlineMedia).max(10).optional(),
})
export type SendMessage = z.infer<typeof SendMessage>

export const TurnAccepted = z.object({ turnId: TurnId })
export type TurnAccepted = z.infer<typeof TurnAccepted>

export const Cancelled = z.object({ cancelled: z.boolean() })
export type Cancelled = z.infer<typeof Cancelled>

/** The highest number of a message or event: the largest `integer` of the database. */
export const MAX_SEQUENCE = 2_147_483_647

export const MessagePage = createPageSchema(SessionMessageSchema)
export type MessagePage = z.infer<typeof MessagePage>

export const DecideApproval = strictObject({
  decision: ApprovalDecision,
  /** The hash from the request: the decision counts only if the same call still waits. */
  inputHash: InputHash.optional(),
})
export type DecideApproval = z.infer<typeof DecideApproval>

/** A call that waits for a person. */
export const WaitingApproval = z.object({
  sessionId: SessionId,
  title: z.string().optional(),
  agentSlug: z.string(),
  /** The name of the session's person if that is not the caller. */
  ownerLabel: z.string().optional(),
  askedAt: z.iso.datetime(),
  callId: CallId,
  tool: z.string(),
  target: z.string(),
  preview: Preview.optional(),
  inputHash: InputHash.optional(),
  /** The grant of `allow_session`; if absent, each call needs its own approval. */
  grant: ToolGrant.optional(),
})
export type WaitingApproval = z.infer<typeof WaitingApproval>

/** Oldest first. */
export const WaitingApprovals = z.object({
  items: z.array(WaitingApproval),
  /** There are more than these. */
  more: z.literal(true).optional(),
})
export type WaitingApprovals = z.infer<typeof WaitingApprovals>

/** The decision on one call, and its times. */
export const ToolCallSummary = z.object({
  callId: CallId,
  askedAt: z.iso.datetime(),
  verdict: ToolDecision.optional(),
  by: DecidedBy.optional(),
  reason: z.string().optional(),
  /** An allowed call runs from here on. */
  decidedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional(),
})
export type ToolCallSummary = z.infer<typeof ToolCallSummary>

/** The times, usage, cost and calls of a turn, without its messages. */
export const TurnSummary = z.object({
  turnId: TurnId,
  /** The number of the message that it answers; a resumed turn answers the same message as the earlier one. */
  question: z.int().positive(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  stopReason: StopReason.optional(),
  /** The last model that answered. */
  model: z.string().optional(),
  usage: Usage.optional(),
  /** The session's cost at the end of the turn, in micro-cents; absent if the turn added none with a known price. */
  totalMicrocents: z.int().min(0).optional(),
  calls: z.array(ToolCallSummary),
})
export type TurnSummary = z.infer<typeof TurnSummary>

export const TurnPage = z.object({
  items: z.array(TurnSummary),
  /** An event number. Send it as `after` to read further, now or when there is more. */
  nextAfter: z.int().min(0),
  /** There is more to read now. */
  more: z.literal(true).optional(),
})
export type TurnPage = z.infer<typeof TurnPage>

/** A search of a session, with the results that still exist. */
export const Citation = z.object({
  /** From 1 within the session. */
  number: z.int().positive(),
  query: z.string(),
  at: z.iso.datetime(),
  evidence: z.array(
    EvidenceItem.omit({ score: true, source: true, sha256: true, corrects: true }).extend({
      /** The words of the source that support a fact. */
      quote: z.string().optional(),
      /** The id is for members only, who can open the source. */
      source: EvidenceItem.shape.source.partial({ id: true }),
    }),
  ),
  /** How many results were removed since, or may no longer be shown. */
  gone: z.int().min(0),
})
export type Citation = z.infer<typeof Citation>

export const CitationPage = createPageSchema(Citation)
export type CitationPage = z.infer<typeof CitationPage>
