import { z } from 'zod'
import { SessionView, StartSession } from './api-bodies.ts'
import { ReflectionId, SessionId } from './ids.ts'
import { SessionTitle } from './session-title.ts'
import { strictObject } from './strict-object.ts'
import { AgentType, Audience, SessionHint, SessionMode, Surface } from './voice.ts'

/** How a client reaches the provider. */
export const Transport = z.enum(['websocket', 'webrtc'])
export type Transport = z.infer<typeof Transport>

export const StartVoiceSession = strictObject({
  channel: z.literal('voice'),
  reflectionId: ReflectionId,
  agentType: AgentType.optional(),
  mode: SessionHint.optional(),
  roomPrefix: SessionHint.optional(),
  /** Nothing of it is kept. */
  offRecord: z.boolean().default(false),
  transport: Transport.default('websocket'),
  title: SessionTitle.optional(),
})
export type StartVoiceSession = z.infer<typeof StartVoiceSession>

/** Spoken or typed, by its channel. */
export const StartAnySession = z.discriminatedUnion('channel', [StartSession, StartVoiceSession], {
  error: ({ code }) => (code === 'invalid_union' ? 'must be text or voice' : undefined),
})
export type StartAnySession = z.infer<typeof StartAnySession>

export const ReconnectSession = strictObject({ transport: Transport.default('websocket') })
export type ReconnectSession = z.input<typeof ReconnectSession>

/** What did not keep a session from starting, and should be known. */
export const SessionWarning = z.strictObject({
  code: z.enum(['session_dynamic_variables_partial', 'agent_stale', 'agent_generic']),
  message: z.string(),
})
export type SessionWarning = z.infer<typeof SessionWarning>

/** A variable that was too long: how long it was, and is; 0 where it was left out. */
const VariableCut = z.strictObject({ name: z.string(), from: z.int().min(0), to: z.int().min(0) })

/** A typed session that was just started; with a reflection it is told who speaks to whom, how, and what was too long. */
export const StartedSession = SessionView.extend({
  mode: SessionMode.optional(),
  audience: Audience.optional(),
  surface: Surface.optional(),
  firstMessage: z.string().optional(),
  cut: z.array(VariableCut).optional(),
  warnings: z.array(SessionWarning).optional(),
})
export type StartedSession = z.infer<typeof StartedSession>

/** What a web client connects to the provider with. The provider's own id of the conversation is not for it. */
export const VoiceSessionResponse = z.strictObject({
  sessionId: SessionId,
  mode: SessionMode,
  audience: Audience,
  surface: Surface,
  transport: Transport,
  /** Of `websocket`. */
  signedUrl: z.string().optional(),
  /** Of `webrtc`. */
  conversationToken: z.string().optional(),
  expiresAt: z.iso.datetime(),
  dynamicVariables: z.record(z.string(), z.string()),
  cut: z.array(VariableCut),
  warnings: z.array(SessionWarning),
})
export type VoiceSessionResponse = z.infer<typeof VoiceSessionResponse>

export const MobileSessionResponse = VoiceSessionResponse.extend({ providerConversationId: z.string() })
export type MobileSessionResponse = z.infer<typeof MobileSessionResponse>

/** For the visitor, for this session. The console gets a cookie instead. */
const visitorToken = { token: z.string().optional() }

export const StartedVisit = StartedSession.extend(visitorToken)
export const VoiceVisitResponse = VoiceSessionResponse.extend(visitorToken)
export const MobileVisitResponse = MobileSessionResponse.extend(visitorToken)
