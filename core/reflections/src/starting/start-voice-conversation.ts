import {
  type Agent,
  type AgentKind,
  type MobileSessionResponse,
  PlatformError,
  type SessionWarning,
  type VoiceSessionResponse,
} from '@parley/contracts'
import { narrowTools } from '@parley/engine'
import { buildSessionAgent } from '../packs/build-session-agent.ts'
import { requirePack } from '../packs/choose-pack.ts'
import { buildInterviewerPack } from '../packs/shared-packs.ts'
import type { ReflectionSessionStatus } from '../ports/reflection-session-store.ts'
import type {
  AgentNotUsable,
  ConversationToken,
  SignedUrl,
  TransportNotUsable,
} from '../ports/voice-provider.ts'
import type { SessionPlan } from './plan-session.ts'
import { resolveSessionAgent } from './resolve-session-agent.ts'
import { buildSessionDynamicExtras, type SentVariables, buildSessionVariables } from './session-variables.ts'
import {
  type StartTime,
  confirmActive,
  createStartTimeoutError,
  openSession,
  removeIfStored,
  startOrUndo,
} from './start-session.ts'
import {
  type PlannedSession,
  type SpokenSession,
  type SpokenStartHost,
  type StartHost,
  NO_FOLDER,
} from './starting-host.ts'

/** The response to each kind of client. */
export interface CallResponses {
  readonly web: VoiceSessionResponse
  readonly mobile: MobileSessionResponse
}

/** The kinds of clients that make calls. */
export type CallClient = keyof CallResponses

/**
 * Starts a call: asks the provider for a credential, and binds the session to its conversation. For a mobile client the
 * source documents call it `startMobileConversation`.
 */
export const startVoiceConversation = <Client extends CallClient>(
  planned: PlannedSession,
  client: Client,
  host: SpokenStartHost,
  time: StartTime,
): Promise<CallResponses[Client]> => {
  const isStored = planned.plan.ingestion !== 'off-record'
  const callSession = isStored ? createCallSession(planned, host) : undefined
  return startOrUndo(planned, { begin, discard: async () => callSession?.discard() }, host, time)

  async function begin(signal: AbortSignal): Promise<CallResponses[Client]> {
    const session = { ...planned, plan: await openSession(planned, host, signal) }
    const { prepared, ownVariables } = prepareCall(session, host, signal)
    const storing = ownVariables.then((variables) =>
      signal.aborted ? undefined : callSession?.store(variables, session.plan, signal),
    )
    const [call] = await Promise.all([prepared, storing])
    const isActive = await bindCall(session, { status: 'starting' }, call, host, signal)
    await confirmActive(isActive, session, host, signal)
    return RESPONSES[client](session, call)
  }
}

/** Gets a new credential for an active session. The session stays active if the provider gives none. */
export const reconnectVoiceConversation = <Client extends CallClient>(
  session: SpokenSession,
  binding: BindingState,
  client: Client,
  host: SpokenStartHost,
  time: StartTime,
): Promise<CallResponses[Client]> =>
  time.run(async (signal) => {
    const { prepared, ownVariables } = prepareCall(session, host, signal)
    const [call] = await Promise.all([prepared, ownVariables])
    const isActive = await bindCall(session, binding, call, host, signal)
    await confirmActive(isActive, session, host, signal)
    return RESPONSES[client](session, call)
  })

/** The stored session under which a call is read, resumed and exported. */
interface CallSession {
  store(variables: Readonly<Record<string, string>>, plan: SessionPlan, signal: AbortSignal): Promise<void>
  /** Removes the session after a failed start, also while it is being stored. */
  discard(): Promise<void>
}

function createCallSession(call: PlannedSession, host: StartHost): CallSession {
  const { sessions } = host
  const { sessionId, personId, title } = call
  let storing: Promise<unknown> | undefined
  return {
    async store(variables, plan, signal) {
      const agent = await buildTypedAgent(call, plan, variables, host, signal)
      const named = title === undefined ? {} : { title }
      const session = { id: sessionId, ownerId: personId, agent, context: NO_FOLDER, ...named }
      storing = sessions.start({ ...session, channel: 'voice' }, signal)
      await storing
    },

    async discard() {
      await storing?.catch(() => undefined)
      await removeIfStored(sessionId, sessions)
    },
  }
}

/** The agent that answers if the call is continued in writing. */
async function buildTypedAgent(
  { reflection, inputs }: PlannedSession,
  plan: SessionPlan,
  variables: Readonly<Record<string, string>>,
  { getDefaultAgent, sha256 }: StartHost,
  signal: AbortSignal,
): Promise<Agent> {
  const model = getDefaultAgent()
  if (plan.mode === 'interview') return buildSessionAgent(buildInterviewerPack(sha256), variables, model)
  const read = await inputs.readPromoted(signal).then(
    (artifacts) => ({ artifacts }),
    (failure: unknown) => ({ failure }),
  )
  const { pack } = requirePack(plan, reflection, read, sha256)
  return narrowTools(buildSessionAgent(pack, variables, model), plan.actions)
}

/** The state of a session before it is bound to a conversation of the provider. */
export interface BindingState {
  readonly status: ReflectionSessionStatus
  /** The provider's own id of the conversation that the session is bound to. */
  readonly boundTo?: string | undefined
}

/** What a client needs to connect, and the agent that it will meet. */
interface PreparedCall extends SentVariables {
  readonly credential: SignedUrl | ConversationToken
  readonly agentId: string
  readonly warnings: readonly SessionWarning[]
}

interface CallPreparation {
  readonly prepared: Promise<PreparedCall>
  /** The variables of the reflection's own agent, as soon as they are known. */
  readonly ownVariables: Promise<Readonly<Record<string, string>>>
}

/** Requests the credential and loads the variables at the same time. */
function prepareCall(session: SpokenSession, host: SpokenStartHost, signal: AbortSignal): CallPreparation {
  const loading = buildSessionDynamicExtras(session, host, signal)
  const requesting = requestCredential(session, host, signal)
  const prepare = async (): Promise<PreparedCall> => {
    const [{ agent, ...speaker }, extras] = await Promise.all([requesting, loading])
    const { variables, cut } = buildSessionVariables(session, agent, extras, host)
    return { ...speaker, variables, cut, warnings: [...speaker.warnings, ...extras.warnings] }
  }
  const loadOwnVariables = async () => buildSessionVariables(session, 'own', await loading, host).variables
  return { prepared: prepare(), ownVariables: loadOwnVariables() }
}

interface CallSpeaker extends Pick<PreparedCall, 'credential' | 'agentId' | 'warnings'> {
  readonly agent: AgentKind
}

/** Gets a credential for the session's agent. If the provider rejects that agent, its fallback is tried once. */
async function requestCredential(
  { reflection, plan, transport }: SpokenSession,
  host: SpokenStartHost,
  signal: AbortSignal,
): Promise<CallSpeaker> {
  const request = (agentId: string) =>
    transport === 'websocket'
      ? host.provider.getSignedUrl(agentId, signal)
      : host.provider.getConversationToken(agentId, signal)
  const first = await resolveSessionAgent(reflection.id, plan, host, signal)
  const { agentId, agent, warnings } = first
  const credential = await request(agentId)
  if (credential.kind === 'transport_not_usable') throw createNoTransportError(credential, plan)
  if (credential.kind !== 'agent_not_usable') return { agentId, agent, warnings, credential }
  await first.forget?.(signal)
  const second = await first.fallback?.()
  if (!second) throw createNotUsableError(credential, plan)
  const again = await request(second.agentId)
  if (again.kind === 'transport_not_usable') throw createNoTransportError(again, plan)
  if (again.kind === 'agent_not_usable') {
    await second.forget?.(signal)
    throw createNotUsableError(again, plan)
  }
  // Visitors do not see the ids of agents.
  const stale = plan.audience === 'public' ? [] : [createStaleWarning(credential)]
  return {
    agentId: second.agentId,
    agent: second.agent,
    credential: again,
    warnings: [...warnings, ...stale],
  }
}

function createNoTransportError(
  { reason }: TransportNotUsable,
  { audience }: SpokenSession['plan'],
): PlatformError {
  const message = 'The voice provider has no WebRTC. Ask for the session with transport: "websocket".'
  return new PlatformError('transport_unavailable', {
    message: audience === 'public' ? message : `${message} It said: ${reason}`,
  })
}

function createNotUsableError(
  { agentId, status, reason }: AgentNotUsable,
  { audience }: SpokenSession['plan'],
): PlatformError {
  if (audience === 'public') {
    return new PlatformError('public_runtime_stale', {
      message: 'The provider rejects the public agent. Ask an admin to sync it.',
      differs: ['the agent at the provider'],
    })
  }
  return new PlatformError('provider_unavailable', {
    message: `The provider cannot use agent ${agentId} (${status}: ${reason}). Sync the reflection, or choose another agent.`,
  })
}

const createStaleWarning = ({ agentId, status }: AgentNotUsable): SessionWarning => ({
  code: 'agent_stale',
  message: `The provider can no longer use agent ${agentId} (${status}); the fallback agent answers.`,
})

/** Binds the session to the provider's conversation. The store's statement checks the status again. */
async function bindCall(
  { sessionId, plan }: SpokenSession,
  binding: BindingState,
  { credential: { providerConversationId }, agentId }: PreparedCall,
  { sessionRows }: SpokenStartHost,
  signal: AbortSignal,
): Promise<boolean> {
  const isAfterDeadline = signal.aborted
  const outcome = decideProviderBindOutcome({ ...binding, providerConversationId, isAfterDeadline })
  if (outcome === 'too-late' && isAfterDeadline) throw createStartTimeoutError()
  if (outcome === 'too-late') return false
  const bound = { providerConversationId, agentId, surface: plan.surface }
  return sessionRows.activateSpoken(sessionId, bound, signal)
}

export interface BindInput extends BindingState {
  readonly providerConversationId: string
  readonly isAfterDeadline: boolean
}

export type BindOutcome =
  | 'activate'
  /** It is bound to this conversation already. */
  | 'already-bound'
  /** A new connection of an active session replaces the previous one. */
  | 'rebind'
  /** The session failed or ended before the answer came; the answer is dropped. */
  | 'too-late'

/** Decides about a provider's credential. A late one never revives a failed session. */
export function decideProviderBindOutcome({
  status,
  boundTo,
  providerConversationId,
  isAfterDeadline,
}: BindInput): BindOutcome {
  if (status === 'failed' || status === 'ended') return 'too-late'
  if (status === 'active' && boundTo === providerConversationId) return 'already-bound'
  if (isAfterDeadline) return 'too-late'
  return status === 'active' ? 'rebind' : 'activate'
}

/** Only mobile clients need the provider's own id. */
const RESPONSES: {
  readonly [Client in CallClient]: (session: SpokenSession, call: PreparedCall) => CallResponses[Client]
} = {
  web: toVoiceResponse,
  mobile: (session, call) => ({
    ...toVoiceResponse(session, call),
    providerConversationId: call.credential.providerConversationId,
  }),
}

function toVoiceResponse(
  { sessionId, plan, transport }: SpokenSession,
  { credential, variables, cut, warnings }: PreparedCall,
): VoiceSessionResponse {
  const { mode, audience, surface } = plan
  return {
    sessionId,
    mode,
    audience,
    surface,
    transport,
    ...(credential.kind === 'signed_url'
      ? { signedUrl: credential.signedUrl }
      : { conversationToken: credential.conversationToken }),
    expiresAt: credential.expiresAt,
    dynamicVariables: { ...variables },
    cut: [...cut],
    warnings: [...warnings],
  }
}
