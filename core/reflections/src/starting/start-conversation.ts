import { type MobileSessionResponse, PlatformError, type VoiceSessionResponse } from '@parley/contracts'
import { decideProviderBindOutcome, type VoiceStatus } from '../planning/decide-provider-bind-outcome.ts'
import { settleSurface } from './build-session-dynamic-extras.ts'
import { startOrUndo } from './start-or-undo.ts'
import { type StartTime, tooLate } from './in-time.ts'
import { type Prepared, prepareConversation } from './prepare-conversation.ts'
import type { Conversation, ConversationOpening, StartingHost } from './starting-host.ts'

/** For a web client, which has no use for the provider's own id. */
export const startVoiceConversation = async (
  opening: ConversationOpening,
  host: StartingHost,
  time: StartTime,
): Promise<VoiceSessionResponse> => responseOf(await bootstrap(opening, host, time))

export const startMobileConversation = async (
  opening: ConversationOpening,
  host: StartingHost,
  time: StartTime,
): Promise<MobileSessionResponse> => mobileResponseOf(await bootstrap(opening, host, time))

/** A new credential for a session that is on; it stays on where there is none to be had. */
export const reconnectVoiceConversation = async (
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
  time: StartTime,
): Promise<VoiceSessionResponse> => responseOf(await reconnect(conversation, bound, host, time))

export const reconnectMobileConversation = async (
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
  time: StartTime,
): Promise<MobileSessionResponse> => mobileResponseOf(await reconnect(conversation, bound, host, time))

/** What a session is bound to before. */
export interface Bound {
  readonly status: VoiceStatus
  readonly boundTo?: string | undefined
}

interface Ready {
  readonly conversation: Conversation
  readonly prepared: Prepared
}

const bootstrap = (opening: ConversationOpening, host: StartingHost, time: StartTime): Promise<Ready> =>
  startOrUndo(
    {
      sessionId: opening.sessionId,
      begin: (signal) => begin(opening, host, signal),
      undo: (code) => [
        host.sessions.fail(opening.sessionId, code),
        ...(opening.plan.audience === 'public' ? [host.scopes.end(opening.sessionId)] : []),
        ...(opening.record ? [opening.record.discard()] : []),
      ],
    },
    time,
    host.errors,
  )

async function begin(opening: ConversationOpening, host: StartingHost, signal: AbortSignal): Promise<Ready> {
  await open(opening, host, signal)
  const plan = await settleSurface(opening, host.wait, signal)
  const conversation = { ...opening, plan }
  const preparing = prepareConversation(conversation, host, signal)
  const keeping = preparing.told.then((variables) =>
    signal.aborted ? undefined : opening.record?.keep(variables, plan, signal),
  )
  const [prepared] = await Promise.all([preparing.prepared, keeping])
  await bind(conversation, { status: 'starting' }, prepared, host, signal)
  return { conversation, prepared }
}

const reconnect = (
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
  time: StartTime,
): Promise<Ready> =>
  time.within(async (signal) => {
    const preparing = prepareConversation(conversation, host, signal)
    const [prepared] = await Promise.all([preparing.prepared, preparing.told])
    await bind(conversation, bound, prepared, host, signal)
    return { conversation, prepared }
  })

async function open(
  { sessionId, reflection, personId, plan, visitor }: ConversationOpening,
  { sessions, scopes }: StartingHost,
  signal: AbortSignal,
): Promise<void> {
  const { mode, audience, surface, role, ingestion, namespaces, isNarrowed } = plan
  const settled = {
    mode,
    sessionAudience: audience,
    surface,
    role,
    ingestion,
    namespaces,
    ...(isNarrowed && { isNarrowed }),
  }
  const row = { sessionId, reflectionId: reflection.id, personId, channel: 'voice', ...settled } as const
  const of = visitor && { shareLinkId: visitor.linkId }
  await sessions.open({ ...row, ...of, status: 'starting' }, visitor?.tokenHash, signal)
  if (audience === 'public')
    await scopes.create({ sessionId, reflectionId: reflection.id, namespaces }, signal)
}

/** What is decided here is held by the store, whose statement looks at the status once more. */
async function bind(
  { sessionId, reflection, plan }: Conversation,
  { status, boundTo }: Bound,
  { credential: { providerConversationId }, agentId }: Prepared,
  { sessions, publishRevisionOf }: StartingHost,
  signal: AbortSignal,
): Promise<void> {
  const isAfterDeadline = signal.aborted
  const outcome = decideProviderBindOutcome({ status, boundTo, providerConversationId, isAfterDeadline })
  if (outcome === 'too-late' && isAfterDeadline) throw tooLate()
  const isBound =
    outcome !== 'too-late' &&
    (await sessions.bind(sessionId, { providerConversationId, agentId, surface: plan.surface }, signal))
  if (!isBound) {
    throw new PlatformError('session_ended', {
      sessionId,
      message: 'The session ended while it was starting.',
    })
  }
  // Looked at once it is on: whatever is published or taken back later finds it among those that are.
  if (plan.audience === 'private') return
  if ((await publishRevisionOf(reflection.id, signal)) === reflection.publishRevision) return
  throw new PlatformError('public_runtime_stale', {
    message: 'What is published has changed while this session started. Try again in a moment.',
    differs: ['the published namespaces'],
  })
}

function responseOf({ conversation, prepared }: Ready): VoiceSessionResponse {
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

const mobileResponseOf = (ready: Ready): MobileSessionResponse => ({
  ...responseOf(ready),
  providerConversationId: ready.prepared.credential.providerConversationId,
})
