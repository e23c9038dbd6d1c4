import { type MobileSessionResponse, PlatformError, type VoiceSessionResponse } from '@parley/contracts'
import { decideProviderBindOutcome, type VoiceStatus } from '../planning/decide-provider-bind-outcome.ts'
import { failureOfStart } from './failure-of-start.ts'
import { inTime, tooLate } from './in-time.ts'
import { type Prepared, prepareConversation } from './prepare-conversation.ts'
import type { Conversation, ConversationOpening, StartingHost } from './starting-host.ts'

/** For a web client, which has no use for the provider's own id. */
export const startVoiceConversation = async (
  opening: ConversationOpening,
  host: StartingHost,
): Promise<VoiceSessionResponse> => responseOf(opening, await bootstrap(opening, host))

export const startMobileConversation = async (
  opening: ConversationOpening,
  host: StartingHost,
): Promise<MobileSessionResponse> => mobileResponseOf(opening, await bootstrap(opening, host))

/** A new credential for a session that is on; it stays on where there is none to be had. */
export async function reconnectVoiceConversation(
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
): Promise<VoiceSessionResponse> {
  return responseOf(conversation, await reconnect(conversation, bound, host))
}

export async function reconnectMobileConversation(
  conversation: Conversation,
  bound: Bound,
  host: StartingHost,
): Promise<MobileSessionResponse> {
  return mobileResponseOf(conversation, await reconnect(conversation, bound, host))
}

/** What a session is bound to before. */
export interface Bound {
  readonly status: VoiceStatus
  readonly boundTo?: string | undefined
}

async function bootstrap(opening: ConversationOpening, host: StartingHost): Promise<Prepared> {
  let keeping: Promise<void> | undefined
  try {
    await open(opening, host)
    return await inTime(host.wait, async (signal) => {
      const { prepared, told } = prepareConversation(opening, host, signal)
      keeping = told.then((variables) => (signal.aborted ? undefined : opening.record?.keep(variables)))
      const [ready] = await Promise.all([prepared, keeping])
      await bind(opening, { status: 'starting' }, ready, host, signal)
      return ready
    })
  } catch (failure) {
    await keeping?.catch(() => {})
    await markConversationFailed(opening, failure, host)
    throw failureOfStart(failure, opening.sessionId)
  }
}

const reconnect = (conversation: Conversation, bound: Bound, host: StartingHost): Promise<Prepared> =>
  inTime(host.wait, async (signal) => {
    const { prepared, told } = prepareConversation(conversation, host, signal)
    const [ready] = await Promise.all([prepared, told])
    await bind(conversation, bound, ready, host, signal)
    return ready
  })

async function open(
  { sessionId, reflection, personId, plan, visitor }: ConversationOpening,
  { sessions, scopes }: StartingHost,
): Promise<void> {
  const { mode, audience, surface, role, ingestion, namespaces, isNarrowed } = plan
  const settled = { mode, audience, surface, role, ingestion, namespaces, ...(isNarrowed && { isNarrowed }) }
  const row = { sessionId, reflectionId: reflection.id, personId, channel: 'voice', ...settled } as const
  const of = visitor && { shareLinkId: visitor.linkId }
  await sessions.open({ ...row, ...of, status: 'starting' }, visitor?.tokenHash)
  if (audience === 'public') await scopes.create({ sessionId, reflectionId: reflection.id, namespaces })
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
    outcome !== 'too-late' && (await sessions.bind(sessionId, { providerConversationId, agentId }))
  if (!isBound) {
    throw new PlatformError('session_ended', {
      sessionId,
      message: 'The session ended while it was starting.',
    })
  }
  // Looked at once it is on: whatever is published or taken back later finds it among those that are.
  if (plan.audience === 'private') return
  if ((await publishRevisionOf(reflection.id)) === reflection.publishRevision) return
  throw new PlatformError('public_runtime_stale', {
    message: 'What is published has changed while this session started. Try again in a moment.',
    differs: ['the published namespaces'],
  })
}

/** Nothing is left of it but its row, which says why. */
async function markConversationFailed(
  { sessionId, plan, record }: ConversationOpening,
  failure: unknown,
  { sessions, scopes, errors }: StartingHost,
): Promise<void> {
  const code = failure instanceof PlatformError ? failure.code : 'internal'
  errors.capture(failure, { sessionId, code })
  const done = await Promise.allSettled([
    sessions.fail(sessionId, code),
    plan.audience === 'public' ? scopes.end(sessionId) : undefined,
    record?.discard(),
  ])
  for (const each of done) {
    if (each.status === 'rejected') errors.capture(each.reason, { sessionId, code: 'internal' })
  }
}

function responseOf({ sessionId, plan, transport }: Conversation, prepared: Prepared): VoiceSessionResponse {
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

const mobileResponseOf = (conversation: Conversation, prepared: Prepared): MobileSessionResponse => ({
  ...responseOf(conversation, prepared),
  providerConversationId: prepared.credential.providerConversationId,
})
