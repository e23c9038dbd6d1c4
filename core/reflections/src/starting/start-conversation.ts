import type { MobileSessionResponse, VoiceSessionResponse } from '@parley/contracts'
import { type VoiceStatus, decideProviderBindOutcome } from '../planning/decide-provider-bind-outcome.ts'
import { type Prepared, prepareConversation } from './prepare-conversation.ts'
import { type StartSteps, type StartTime, activateSession, startSession, tooLate } from './start-session.ts'
import type { Conversation, ConversationOpening, StartingHost } from './starting-host.ts'

/** For a web client, which does not need the provider's own id. */
export const startVoiceConversation = (
  opening: ConversationOpening,
  host: StartingHost,
  time: StartTime,
): Promise<VoiceSessionResponse> =>
  startSession(opening, spokenSteps(opening, host, toVoiceResponse), host, time)

export const startMobileConversation = (
  opening: ConversationOpening,
  host: StartingHost,
  time: StartTime,
): Promise<MobileSessionResponse> =>
  startSession(opening, spokenSteps(opening, host, toMobileResponse), host, time)

/** A new credential for an active session. The session stays active if the provider gives none. */
export const reconnectVoiceConversation = async (
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
  time: StartTime,
): Promise<VoiceSessionResponse> => toVoiceResponse(await reconnect(conversation, bound, host, time))

export const reconnectMobileConversation = async (
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
  time: StartTime,
): Promise<MobileSessionResponse> => toMobileResponse(await reconnect(conversation, bound, host, time))

/** The state of a session before it is bound to a conversation of the provider. */
export interface Bound {
  readonly status: VoiceStatus
  readonly boundTo?: string | undefined
}

interface Ready {
  readonly conversation: Conversation
  readonly prepared: Prepared
}

/** A spoken start asks the provider for a credential and binds the session to its conversation. */
const spokenSteps = <Answer>(
  opening: ConversationOpening,
  host: StartingHost,
  toAnswer: (ready: Ready) => Answer,
): StartSteps<Answer> => ({
  async prepare(plan, signal) {
    const conversation = { ...opening, plan }
    const preparing = prepareConversation(conversation, host, signal)
    const keeping = preparing.told.then((variables) =>
      signal.aborted ? undefined : opening.record?.keep(variables, plan, signal),
    )
    const [prepared] = await Promise.all([preparing.prepared, keeping])
    return {
      activate: (within) => bind(conversation, { status: 'starting' }, prepared, host, within),
      answer: toAnswer({ conversation, prepared }),
    }
  },
  discard: async () => opening.record?.discard(),
})

const reconnect = (
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
  time: StartTime,
): Promise<Ready> =>
  time.within(async (signal) => {
    const preparing = prepareConversation(conversation, host, signal)
    const [prepared] = await Promise.all([preparing.prepared, preparing.told])
    await activateSession(
      conversation,
      (within) => bind(conversation, bound, prepared, host, within),
      host,
      signal,
    )
    return { conversation, prepared }
  })

/** The store's statement checks the status again. */
async function bind(
  { sessionId, plan }: Conversation,
  { status, boundTo }: Bound,
  { credential: { providerConversationId }, agentId }: Prepared,
  { sessions }: StartingHost,
  signal: AbortSignal,
): Promise<boolean> {
  const isAfterDeadline = signal.aborted
  const outcome = decideProviderBindOutcome({ status, boundTo, providerConversationId, isAfterDeadline })
  if (outcome === 'too-late' && isAfterDeadline) throw tooLate()
  if (outcome === 'too-late') return false
  return sessions.bind(sessionId, { providerConversationId, agentId, surface: plan.surface }, signal)
}

function toVoiceResponse({ conversation, prepared }: Ready): VoiceSessionResponse {
  const { sessionId, plan, transport } = conversation
  const { credential, variables, cut, warnings } = prepared
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

const toMobileResponse = (ready: Ready): MobileSessionResponse => ({
  ...toVoiceResponse(ready),
  providerConversationId: ready.prepared.credential.providerConversationId,
})
