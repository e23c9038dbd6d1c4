import { type ProviderConversation, type ReflectionSession, takeTranscript } from '@parley/reflections'
import type { Services } from '../services.ts'
import { reflectionSessionsOf } from './reflection-sessions.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const EVERY_MS = MINUTE
/** Within it a webhook comes, as a rule. */
const WEBHOOK_MS = 15 * MINUTE
/** After it nobody connects any more with what they were given. */
const CONNECT_MS = HOUR
const GIVE_UP_MS = 7 * DAY
/** A conversation in which nothing is said for so long is over. */
const SILENT_MS = 3 * DAY
const AT_ONCE = 100

/** Reads calls without a webhook from the provider and ends abandoned sessions, in one process at a time. */
export function reconcile(
  services: Services,
  signal: AbortSignal,
  now = Date.now(),
): Promise<'done' | 'busy'> {
  const { transcripts, reflectionSessions, logger } = services
  const before = (ms: number) => new Date(now - ms).toISOString()
  return transcripts.alone(async () => {
    const hearing = { services, signal, before }
    for (const session of await reflectionSessions.unheard(before(WEBHOOK_MS), AT_ONCE)) {
      signal.throwIfAborted()
      await hear(session, session.providerConversationId ?? '', hearing, before(CONNECT_MS))
    }
    for (const call of await transcripts.earlierUnheard(before(WEBHOOK_MS), AT_ONCE)) {
      signal.throwIfAborted()
      const session = await reflectionSessions.find(call.sessionId)
      // Where a later call is over, nobody connects to this one any more.
      const unconnectedBefore = before(call.isAwaited ? 0 : CONNECT_MS)
      if (session) await hear(session, call.providerConversationId, hearing, unconnectedBefore)
    }
    for (const sessionId of await transcripts.leftOpen(before(SILENT_MS), AT_ONCE)) {
      signal.throwIfAborted()
      await endSilent(sessionId, services).catch((err: unknown) =>
        logger.warn({ err, sessionId }, 'a session could not be ended'),
      )
    }
  })
}

/** Again and again. */
export function sweepTranscripts(services: Services) {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  const sweep = async () => {
    await reconcile(services, signal).catch((err: unknown) => {
      if (!signal.aborted) services.logger.warn({ err }, 'could not look for calls without a webhook')
    })
    if (!signal.aborted) timer = setTimeout(() => void sweep(), EVERY_MS).unref()
  }
  timer = setTimeout(() => void sweep(), EVERY_MS).unref()
  return {
    stop() {
      stopping.abort()
      clearTimeout(timer)
    },
  }
}

interface Hearing {
  readonly services: Services
  readonly signal: AbortSignal
  readonly before: (ms: number) => string
}

async function hear(
  session: ReflectionSession,
  providerConversationId: string,
  { services, signal, before }: Hearing,
  unconnectedBefore: string,
): Promise<void> {
  const { voice, transcripts, logger } = services
  const { sessionId } = session
  const call = { sessionId, providerConversationId }
  try {
    const conversation = await voice?.provider.readConversation(providerConversationId, signal)
    if (conversation && voice && isOver(conversation)) {
      await takeTranscript(session, conversation, { ...services, provider: voice.provider, signal })
      return
    }
    const isUnmet = !conversation || conversation.status === 'initiated'
    if (voice && isUnmet) await transcripts.giveUp(call, { boundBefore: unconnectedBefore })
  } catch (err) {
    if (signal.aborted) throw err
    logger.warn({ err, sessionId }, 'a call could not be read from the provider')
  }
  await transcripts.giveUp(call, { boundBefore: before(GIVE_UP_MS), failure: LOST })
}

const LOST = 'transcript_lost'

export const isOver = ({ status }: ProviderConversation): boolean => status === 'done' || status === 'failed'

async function endSilent(sessionId: ReflectionSession['sessionId'], services: Services): Promise<void> {
  const session = await services.reflectionSessions.find(sessionId)
  if (!session) return
  if (await services.store.find(sessionId)) await services.sessions.end(sessionId)
  await reflectionSessionsOf(services).end(session)
}
