import { z } from 'zod'
import { WrittenAgent } from './agent.ts'
import { CallId, PersonId, ReflectionId, SessionId, TurnId } from './ids.ts'
import { kebabIdSchema } from './kebab-id.ts'
import { NamespaceName } from './reflection.ts'
import { Role } from './role.ts'
import { SessionContextSchema } from './session-context.ts'
import { ApprovalDecision, InputHash } from './session-event.ts'
import { SessionMessageSchema } from './session-message.ts'
import { SessionTitle } from './session-title.ts'
import { AgentSessionSchema, Channel, OpenTurn, StartedOrFailed } from './session.ts'
import { strictObject } from './strict-object.ts'
import { AgentType, Audience, SessionHint, SessionMode, Surface, VoiceAction } from './voice.ts'

export const RenameSession = strictObject({ title: SessionTitle })
export type RenameSession = z.infer<typeof RenameSession>

export const ResumeSession = strictObject({
  /** Goes on with the last turn, if it came to no answer. */
  continue: z.boolean().default(false),
})
export type ResumeSession = z.input<typeof ResumeSession>

export const ForkSession = strictObject({ agent: WrittenAgent.optional(), agentId: kebabIdSchema.optional() })
export type ForkSession = z.infer<typeof ForkSession>

/** How many of the last messages a model is still given; the transcript keeps all. */
export const TrimSession = strictObject({ keep: z.int().min(0).max(1_000_000) })
export type TrimSession = z.infer<typeof TrimSession>

/** How many messages a model was given before, and is given from now on. */
export const ShortenedSession = z.object({
  messagesBefore: z.int().min(0),
  messagesAfter: z.int().min(0),
})
export type ShortenedSession = z.infer<typeof ShortenedSession>

/** Media that go along with a message, as base64. */
const InlineMedia = strictObject({
  mediaType: z.string().regex(/^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,100}$/, 'a media type, such as image/png'),
  data: z.base64().min(4),
  name: z.string().min(1).max(200).optional(),
})

export const MediaRef = z.object({
  sessionId: SessionId,
  /** The hash of the handle: `sha256-` and 64 hexadecimal digits. */
  hash: z.string().regex(/^sha256-[0-9a-f]{64}$/),
})

export const CallRef = z.object({ sessionId: SessionId, callId: CallId })

export const DecideApproval = strictObject({
  decision: ApprovalDecision,
  /** As the request had it: the answer counts only if it is still that call which waits. */
  inputHash: InputHash.optional(),
})
export type DecideApproval = z.infer<typeof DecideApproval>

/** What a session with a reflection is, and what it may use as things stand now. */
export const SessionReflection = z.object({
  /** For members alone. */
  id: ReflectionId.optional(),
  displayName: z.string(),
  mode: SessionMode,
  audience: Audience,
  surface: Surface,
  actions: z.array(VoiceAction),
  /** What may be looked up in: of a public session, what is published now. */
  namespaces: z.array(NamespaceName),
  /** Whether it is learned from, only kept, or not even that. */
  ingestion: z.enum(['ingest', 'keep-only', 'off-record']),
  status: z.enum(['starting', 'active', 'failed', 'ended']),
  /** Of a call: whether what was said has come. */
  transcript: z.enum(['none', 'pending', 'stored']),
  /** Why it failed, or was ended. */
  failure: z.string().optional(),
})
export type SessionReflection = z.infer<typeof SessionReflection>

/** The longest message a person may send, in UTF-16 units. */
export const MAX_MESSAGE_LENGTH = 1_000_000

/** No message and no event has a higher number: it is the largest that an `integer` of the database holds. */
export const MAX_SEQUENCE = 2_147_483_647

export const Me = z.object({
  personId: PersonId,
  role: Role,
  label: z.string(),
  /** Of who was invited to a reflection: they reach what they are a member of, and no agent of the server. */
  isInvited: z.literal(true).optional(),
  /** Who answers in a session for which no agent is named. */
  defaultModel: z.object({ provider: z.string(), model: z.string() }).optional(),
})
export type Me = z.infer<typeof Me>

export const StartSession = strictObject({
  channel: Channel.extract(['text']).default('text'),
  agent: WrittenAgent.optional(),
  agentId: kebabIdSchema.optional(),
  context: SessionContextSchema.partial({ workingDir: true }).optional(),
  /** Of the agent's tools, those that this session may use; all of them where absent. */
  tools: z.array(z.string().min(1).max(200)).max(200).optional(),
  title: SessionTitle.optional(),
  /** Whose agent speaks, in place of one that is named or sent. */
  reflectionId: ReflectionId.optional(),
  agentType: AgentType.optional(),
  mode: SessionHint.optional(),
  roomPrefix: SessionHint.optional(),
  /** Nothing of it is kept. */
  offRecord: z.boolean().optional(),
})
export type StartSession = z.infer<typeof StartSession>

/** The agent's prompt stays out: it is for its author. */
export const SessionView = AgentSessionSchema.omit({ agentSnapshot: true, ownerId: true }).extend({
  sessionId: SessionId,
  /** `failed`: it did not start, and nothing is left of it but why. */
  status: StartedOrFailed,
  /** Of one that failed: the code. */
  failure: z.string().optional(),
  /** What the agent calls itself. */
  agentName: z.string().optional(),
  model: z.string(),
  provider: z.string(),
  /** The last event number used or reserved: where a reader that knows the messages may start. */
  lastSequence: z.int().min(0),
  openTurn: OpenTurn.optional(),
  /** Whether who asks may speak in it; an admin may read more than that. */
  mayWrite: z.boolean(),
  /** The name of its person, where that is not who asks; `Visitor` for who came by a share link. */
  ownerLabel: z.string().optional(),
  /** Of a session with a reflection, where one session is asked for. */
  reflection: SessionReflection.optional(),
})
export type SessionView = z.infer<typeof SessionView>

export const SessionRef = z.object({ sessionId: SessionId })

/** A client's own name for a request: repeated with the same key, it is not carried out twice. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'up to 200 printable characters without spaces')

/** For callers without a token: who has the key gets the response again, with the credential in it. */
export const SecretIdempotencyKey = IdempotencyKey.min(32, 'at least 32 characters: use a random UUID')

export const SendMessage = strictObject({
  text: z.string().min(1).max(MAX_MESSAGE_LENGTH),
  media: z.array(InlineMedia).max(10).optional(),
})
export type SendMessage = z.infer<typeof SendMessage>

export const TurnAccepted = z.object({ turnId: TurnId })
export type TurnAccepted = z.infer<typeof TurnAccepted>

export const Cancelled = z.object({ cancelled: z.boolean() })
export type Cancelled = z.infer<typeof Cancelled>

const After = z.coerce.number().int().min(0).max(MAX_SEQUENCE).default(0)

export const ReadEvents = z.object({ after: After })

export const ReadMessages = z.object({
  after: After,
  limit: z.coerce.number().int().min(1).max(500).default(100),
})
export const MessagePage = z.object({
  items: z.array(SessionMessageSchema),
  /** Give it as `after` to read on; absent at the end. */
  nextCursor: z.string().optional(),
})
export type MessagePage = z.infer<typeof MessagePage>
