import { z } from 'zod'
import { Audience, modeHints, SessionMode, Surface } from './access.ts'
import { WrittenAgent } from './agent.ts'
import { kebabIdSchema, ReflectionId, SessionId } from './ids.ts'
import { SessionView } from './session-bodies.ts'
import { Channel, SessionContextSchema } from './session.ts'
import { strictObject } from './strict-object.ts'
import { SessionTitle } from './text.ts'

export const StartSession = strictObject({
  channel: Channel.extract(['text']).default('text'),
  agent: WrittenAgent.optional(),
  agentId: kebabIdSchema.optional(),
  context: SessionContextSchema.partial({ workingDir: true }).optional(),
  /** The agent's tools that this session may use; all of them if absent. */
  tools: z.array(z.string().min(1).max(200)).max(200).optional(),
  title: SessionTitle.optional(),
  /** Starts a session with this reflection's agent instead of `agent` or `agentId`. */
  reflectionId: ReflectionId.optional(),
  ...modeHints,
  /** Nothing is stored. */
  offRecord: z.boolean().optional(),
})
export type StartSession = z.infer<typeof StartSession>

/** The client's connection to the provider. */
export const Transport = z.enum(['websocket', 'webrtc'])
export type Transport = z.infer<typeof Transport>

export const StartVoiceSession = strictObject({
  channel: z.literal('voice'),
  reflectionId: ReflectionId,
  ...modeHints,
  /** Nothing is stored. */
  offRecord: z.boolean().default(false),
  transport: Transport.default('websocket'),
  title: SessionTitle.optional(),
})
export type StartVoiceSession = z.infer<typeof StartVoiceSession>

/** Typed or spoken, by its channel. */
export const StartAnySession = z.discriminatedUnion('channel', [StartSession, StartVoiceSession], {
  error: ({ code }) => (code === 'invalid_union' ? 'must be text or voice' : undefined),
})
export type StartAnySession = z.infer<typeof StartAnySession>

export const ReconnectSession = strictObject({ transport: Transport.default('websocket') })

/** A problem that did not prevent the start. */
export const SessionWarning = z.strictObject({
  code: z.enum(['session_dynamic_variables_partial', 'agent_stale', 'agent_generic']),
  message: z.string(),
})
export type SessionWarning = z.infer<typeof SessionWarning>

/** The length of a shortened variable, before and after; 0 if it was removed. */
const VariableCut = z.strictObject({ name: z.string(), from: z.int().min(0), to: z.int().min(0) })

/** A new typed session; the fields below are for a session with a reflection. */
export const StartedSession = SessionView.extend({
  mode: SessionMode.optional(),
  audience: Audience.optional(),
  surface: Surface.optional(),
  firstMessage: z.string().optional(),
  cut: z.array(VariableCut).optional(),
  warnings: z.array(SessionWarning).optional(),
})
export type StartedSession = z.infer<typeof StartedSession>

/** How a web client connects to the provider. It does not get the provider's conversation id. */
export const VoiceSessionResponse = z.strictObject({
  sessionId: SessionId,
  mode: SessionMode,
  audience: Audience,
  surface: Surface,
  transport: Transport,
  /** For `websocket`. */
  signedUrl: z.string().optional(),
  /** For `webrtc`. */
  conversationToken: z.string().optional(),
  expiresAt: z.iso.datetime(),
  dynamicVariables: z.record(z.string(), z.string()),
  cut: z.array(VariableCut),
  warnings: z.array(SessionWarning),
})
export type VoiceSessionResponse = z.infer<typeof VoiceSessionResponse>

export const MobileSessionResponse = VoiceSessionResponse.extend({ providerConversationId: z.string() })
export type MobileSessionResponse = z.infer<typeof MobileSessionResponse>

/** The visitor's token for this session; the console gets a cookie instead. */
const visitorToken = { token: z.string().optional() }

export const StartedVisit = StartedSession.extend(visitorToken)
export const VoiceVisitResponse = VoiceSessionResponse.extend(visitorToken)
export const MobileVisitResponse = MobileSessionResponse.extend(visitorToken)
