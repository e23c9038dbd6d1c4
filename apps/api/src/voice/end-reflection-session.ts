import type { SessionId, SessionMessage } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import type { ReflectionSession, SessionRoleHost } from '@parley/reflections'
import type { Services } from '../services.ts'
import { sourceOf } from './take-transcript.ts'

const PAGE = 500

/**
 * Ends a session with a reflection, once, when its conversation is over: its tools and its public scope are gone, and what
 * was typed in it is handed in where it is learned from. A call's own words come with its transcript.
 */
export async function endReflectionSession(
  session: ReflectionSession,
  services: Pick<Services, 'transcripts' | 'publicScopes' | 'store'> & SessionRoleHost,
): Promise<void> {
  const { sessionId, sessionAudience, ingestion } = session
  const typed = ingestion === 'ingest' ? await typedIn(sessionId, services.store) : []
  const source = await sourceOf(session, typed, services)
  await services.transcripts.close(sessionId, source)
  if (sessionAudience === 'public') await services.publicScopes.end(sessionId)
}

/** How long whoever ends a session waits for the provider to hang up. */
const HANG_UP_MS = 3_000

/** Hangs up the running calls among these sessions. Where the provider does not, their tools stay refused, and the log says so. */
export async function endCalls(
  sessionIds: readonly SessionId[],
  { voice, reflectionSessions, logger }: Pick<Services, 'voice' | 'reflectionSessions' | 'logger'>,
): Promise<void> {
  if (!voice) return
  const signal = AbortSignal.timeout(HANG_UP_MS)
  await Promise.all(
    sessionIds.map(async (sessionId) => {
      const { channel, providerConversationId, transcript } = (await reflectionSessions.find(sessionId)) ?? {}
      if (channel !== 'voice' || providerConversationId === undefined || transcript === 'stored') return
      await voice.provider
        .endConversation(providerConversationId, signal)
        .catch((err: unknown) => logger.warn({ err, sessionId }, 'the provider did not end a call'))
    }),
  )
}

/** For one whose messages are gone: so goes what the provider has of its call, now or, where none is told of yet, later. */
export async function forgetReflectionSession(
  session: ReflectionSession,
  services: Services,
  signal: AbortSignal,
): Promise<void> {
  const { sessionId, providerConversationId, transcript } = session
  await endReflectionSession(session, services)
  if (transcript !== 'stored' || providerConversationId === undefined) return
  await services.voice?.provider
    .removeConversation(providerConversationId, signal)
    .catch((err: unknown) => services.logger.warn({ err, sessionId }, 'the provider keeps a removed call'))
}

/** What a call brought belongs to no turn. */
async function typedIn(sessionId: SessionId, store: SessionStore): Promise<readonly SessionMessage[]> {
  const messages: SessionMessage[] = []
  let after = 0
  for (;;) {
    const page = await store.readMessages(sessionId, { after, limit: PAGE })
    messages.push(...page.filter(({ turnId, marker }) => turnId !== undefined && !marker))
    const last = page.at(-1)
    if (!last || page.length < PAGE) return messages
    after = last.sequenceNumber
  }
}
