import type { SessionId, SessionMessage } from '@parley/contracts'
import { type SessionStore, readAllMessages } from '@parley/engine'
import { findCurrentRole, type SessionRoleHost } from '../access/session-role.ts'
import { decideSessionAccess } from '../access/session-access.ts'
import type { ReflectionSession, ReflectionSessionStore } from '../ports/reflection-session-store.ts'
import type { TranscriptSource } from '../ports/transcript-store.ts'
import { buildTranscriptSource } from '../transcripts/transcript-source.ts'
import type { ReflectionSessionsHost } from './sessions-host.ts'

type EndHost = Pick<ReflectionSessionsHost, 'publicScopes'> &
  SessionRoleHost & {
    readonly store: Pick<SessionStore, 'readMessages'>
    readonly sessionRows: Pick<ReflectionSessionStore, 'end'>
  }

/** Ends a session once. The words of a call come later, with its transcript. */
export async function endSession(session: ReflectionSession, host: EndHost): Promise<void> {
  const { sessionId, sessionAudience, ingestion } = session
  const typed = ingestion === 'ingest' ? await readTypedMessages(sessionId, host.store) : []
  await host.sessionRows.end(sessionId, await buildSessionSource(session, typed, host))
  if (sessionAudience === 'public') await host.publicScopes.end(sessionId)
}

/** Ends a removed session, and removes the provider's copy of its call. A call without a transcript is removed when that arrives. */
export async function removeSession(
  session: ReflectionSession,
  host: EndHost & Pick<ReflectionSessionsHost, 'voice' | 'logger'>,
  signal: AbortSignal,
): Promise<void> {
  const { sessionId, providerConversationId, transcript } = session
  await endSession(session, host)
  if (transcript !== 'stored' || providerConversationId === undefined) return
  await host.voice?.provider
    .removeConversation(providerConversationId, signal)
    .catch((err: unknown) => host.logger.warn({ err, sessionId }, 'the provider keeps a removed call'))
}

/** How long to wait until the provider hangs up. */
const HANG_UP_MS = 3_000

/** Ends running calls at the provider. */
export async function hangUp(
  sessionIds: readonly SessionId[],
  {
    voice,
    sessionRows,
    logger,
    deadline,
  }: Pick<ReflectionSessionsHost, 'voice' | 'sessionRows' | 'logger' | 'deadline'>,
): Promise<void> {
  if (!voice) return
  const signal = deadline(HANG_UP_MS)
  await Promise.all(
    sessionIds.map(async (sessionId) => {
      const { channel, providerConversationId, transcript } = (await sessionRows.find(sessionId)) ?? {}
      if (channel !== 'voice' || providerConversationId === undefined || transcript === 'stored') return
      await voice.provider
        .endConversation(providerConversationId, signal)
        .catch((err: unknown) => logger.warn({ err, sessionId }, 'the provider did not end a call'))
    }),
  )
}

type Messages = Parameters<typeof buildTranscriptSource>[0]

/** The source that is learned from a session. Undefined if its start, or its person's current role, does not allow that. */
export async function buildSessionSource(
  session: ReflectionSession,
  messages: Messages,
  host: SessionRoleHost,
): Promise<TranscriptSource | undefined> {
  const { ingestion, reflectionId, mode, sessionAudience, createdAt } = session
  if (ingestion !== 'ingest') return undefined
  const [reflection, role] = await Promise.all([
    host.reflections.find(reflectionId),
    // A link that expired since was valid for these words; a revoked one is not.
    findCurrentRole(session, host, Date.parse(createdAt)),
  ])
  if (!reflection || !role) return undefined
  const { creatorName, displayName, shareIngestion } = reflection
  const access = decideSessionAccess({
    mode,
    role,
    audience: sessionAudience,
    channel: 'text',
    offRecord: false,
    shareIngestion,
  })
  if (access.kind === 'refused' || access.ingestion !== 'ingest') return undefined
  return buildTranscriptSource(messages, {
    mode,
    role,
    startedAt: createdAt,
    creatorName: creatorName ?? displayName,
  })
}

/** The typed messages. Those of a call belong to no turn. */
const readTypedMessages = async (
  sessionId: SessionId,
  store: Pick<SessionStore, 'readMessages'>,
): Promise<readonly SessionMessage[]> =>
  (await readAllMessages(store, sessionId)).filter(({ turnId, marker }) => turnId !== undefined && !marker)
