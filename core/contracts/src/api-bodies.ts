import { z } from 'zod'
import { WrittenAgent } from './agent.ts'
import { kebabIdSchema } from './kebab-id.ts'
import { PersonId, ReflectionId, SessionId, TurnId } from './ids.ts'
import { Role } from './role.ts'
import { AgentSessionSchema, Channel, OpenTurn, StartedOrFailed } from './session.ts'
import { InlineMedia } from './session-bodies.ts'
import { SessionContextSchema } from './session-context.ts'
import { SessionMessageSchema } from './session-message.ts'
import { SessionReflection } from './session-reflection.ts'
import { SessionTitle } from './session-title.ts'
import { strictObject } from './strict-object.ts'
import { AgentType, SessionHint } from './voice.ts'

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

/** A client's own name for a message: said again under the same key, it is not said twice. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'up to 200 printable characters without spaces')

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
