import type { SessionId } from '@parley/contracts'
import { type Sessions, type SessionStore, maskValue, createSessionTitle } from '@parley/engine'
import type { SessionRoleHost } from '../access/session-role.ts'
import type { ProviderConversation, VoiceProvider } from '../ports/voice-provider.ts'
import type { ReflectionSession, ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { TranscriptStore, TranscriptMessage } from '../ports/transcript-store.ts'
import type { ReflectionSessions } from '../sessions/reflection-sessions.ts'
import type { WarningLog } from '../sessions/sessions-host.ts'
import type { PublicScopePort } from '../starting/starting-host.ts'
import { buildSessionSource } from '../sessions/end-session.ts'
import { toTranscriptMessages } from './to-transcript-messages.ts'

interface CallsHost extends SessionRoleHost {
  readonly transcripts: TranscriptStore
  readonly sessionRows: Pick<ReflectionSessionStore, 'find' | 'findByProvider' | 'listCallsWithoutTranscript'>
  readonly store: Pick<SessionStore, 'find'>
  readonly publicScopes: Pick<PublicScopePort, 'end'>
  /** Removes secrets from a text. */
  readonly mask: (text: string) => string
  /** Absent on a server without a voice provider. */
  readonly voice?:
    | { readonly provider: Pick<VoiceProvider, 'readConversation' | 'removeConversation'> }
    | undefined
  readonly logger: WarningLog & { info(about: object, message: string): void }
}

/** A message of the provider about a call that is over. */
export type CallEvent =
  | { readonly kind: 'transcript'; readonly conversation: ProviderConversation }
  | { readonly kind: 'audio' | 'call_failed'; readonly conversationId: string }

/** Takes the transcript of a call, or gives it up if the call failed. Another server's calls are ignored. */
export async function receiveCallEvent(
  event: CallEvent,
  host: CallsHost,
  signal: AbortSignal,
): Promise<void> {
  const conversationId =
    event.kind === 'transcript' ? event.conversation.conversationId : event.conversationId
  const session = await findSessionOfCall(conversationId, host)
  const { voice, transcripts, logger } = host
  if (!session || !voice) {
    logger.info({ event: event.kind, conversationId }, 'a webhook for a call of another server')
    return
  }
  if (event.kind === 'call_failed') {
    const call = { sessionId: session.sessionId, providerConversationId: conversationId }
    const boundBefore = new Date(host.now()).toISOString()
    await transcripts.giveUp(call, { boundBefore, failure: 'call_failed' })
  }
  if (event.kind !== 'transcript' || !isOver(event.conversation)) return
  await takeTranscript(session, event.conversation, { ...host, provider: voice.provider, signal })
}

/** The session that is bound to the call, or was bound to it before a reconnect. */
async function findSessionOfCall(
  conversationId: string,
  { sessionRows, transcripts }: CallsHost,
): Promise<ReflectionSession | undefined> {
  const bound = await sessionRows.findByProvider(conversationId)
  if (bound) return bound
  const earlier = await transcripts.findEarlier(conversationId)
  return earlier && sessionRows.find(earlier.sessionId)
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A webhook usually comes within this time. */
const WEBHOOK_MS = 15 * MINUTE
/** After this time nobody connects with a credential any more. */
const CONNECT_MS = HOUR
const GIVE_UP_MS = 7 * DAY
/** A conversation without a message for so long is over. */
const SILENT_MS = 3 * DAY
const MAX_AT_ONCE = 100

interface ReconcileHost extends CallsHost {
  readonly sessions: Pick<Sessions, 'end'>
  readonly reflectionSessions: Pick<ReflectionSessions, 'end'>
}

/** Reads calls without a webhook from the provider and ends abandoned sessions, in one process at a time. */
export function reconcileCalls(
  host: ReconcileHost,
  signal: AbortSignal,
  now: number,
): Promise<'done' | 'busy'> {
  const { transcripts, sessionRows, logger } = host
  const before = (ms: number) => new Date(now - ms).toISOString()
  const read = (session: ReflectionSession, conversationId: string, unconnectedBefore: string) =>
    readCall(session, conversationId, { unconnectedBefore, lostBefore: before(GIVE_UP_MS) }, host, signal)
  return transcripts.runExclusively(async () => {
    for (const session of await sessionRows.listCallsWithoutTranscript(before(WEBHOOK_MS), MAX_AT_ONCE)) {
      if (signal.aborted) throw signal.reason
      await read(session, session.providerConversationId ?? '', before(CONNECT_MS))
    }
    for (const call of await transcripts.listEarlierWithoutTranscript(before(WEBHOOK_MS), MAX_AT_ONCE)) {
      if (signal.aborted) throw signal.reason
      const session = await sessionRows.find(call.sessionId)
      // If a later call is over, nobody connects to this one any more.
      const unconnectedBefore = before(call.isAwaited ? 0 : CONNECT_MS)
      if (session) await read(session, call.providerConversationId, unconnectedBefore)
    }
    for (const sessionId of await transcripts.listAbandoned(before(SILENT_MS), MAX_AT_ONCE)) {
      if (signal.aborted) throw signal.reason
      await endAbandoned(sessionId, host).catch((err: unknown) =>
        logger.warn({ err, sessionId }, 'a session could not be ended'),
      )
    }
  })
}

async function readCall(
  session: ReflectionSession,
  providerConversationId: string,
  { unconnectedBefore, lostBefore }: { readonly unconnectedBefore: string; readonly lostBefore: string },
  host: CallsHost,
  signal: AbortSignal,
): Promise<void> {
  const { voice, transcripts, logger } = host
  const { sessionId } = session
  const call = { sessionId, providerConversationId }
  try {
    const conversation = await voice?.provider.readConversation(providerConversationId, signal)
    if (conversation && voice && isOver(conversation)) {
      await takeTranscript(session, conversation, { ...host, provider: voice.provider, signal })
      return
    }
    const wasNeverConnected = !conversation || conversation.status === 'initiated'
    if (voice && wasNeverConnected) await transcripts.giveUp(call, { boundBefore: unconnectedBefore })
  } catch (err) {
    if (signal.aborted) throw err
    logger.warn({ err, sessionId }, 'a call could not be read from the provider')
  }
  await transcripts.giveUp(call, { boundBefore: lostBefore, failure: 'transcript_lost' })
}

const isOver = ({ status }: ProviderConversation): boolean => status === 'done' || status === 'failed'

async function endAbandoned(
  sessionId: SessionId,
  { sessionRows, store, sessions, reflectionSessions }: ReconcileHost,
): Promise<void> {
  const session = await sessionRows.find(sessionId)
  if (!session) return
  if (await store.find(sessionId)) await sessions.end(sessionId)
  await reflectionSessions.end(session)
}

interface TranscriptHost extends SessionRoleHost {
  readonly transcripts: Pick<TranscriptStore, 'take'>
  readonly store: Pick<SessionStore, 'find'>
  readonly publicScopes: Pick<PublicScopePort, 'end'>
  /** Removes secrets from a text. */
  readonly mask: (text: string) => string
  readonly provider: Pick<VoiceProvider, 'removeConversation'>
  readonly signal: AbortSignal
}

/**
 * Stores the transcript of a call with its session. A repeated transcript is ignored. If the session is off the record or was
 * removed, nothing is stored, and the provider's copy is removed first.
 */
async function takeTranscript(
  session: ReflectionSession,
  conversation: ProviderConversation,
  { provider, signal, ...host }: TranscriptHost,
): ReturnType<TranscriptStore['take']> {
  const { sessionId } = session
  const { conversationId: providerConversationId, startedAt } = conversation
  const call = { sessionId, providerConversationId, startedAt }
  const isKept = session.ingestion !== 'off-record' && (await host.store.find(sessionId)) !== undefined
  if (!isKept) {
    await provider.removeConversation(providerConversationId, signal)
    if (session.sessionAudience === 'public') await host.publicScopes.end(sessionId)
    return host.transcripts.take({ ...call, messages: [], title: '' })
  }
  const messages = maskValue(toTranscriptMessages(conversation), host.mask)
  const source = await buildSessionSource(session, messages, host)
  return host.transcripts.take({ ...call, messages, title: findTitle(messages), ...(source && { source }) })
}

/** The person's first words. */
function findTitle(messages: readonly TranscriptMessage[]): string {
  const [part] = messages.find(({ role }) => role === 'user')?.content ?? []
  return part?.type === 'text' ? createSessionTitle(part.text) : ''
}
