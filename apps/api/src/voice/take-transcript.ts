import { maskIn, sessionTitle } from '@parley/engine'
import {
  currentSessionRole,
  decideSessionAccess,
  messagesOfConversation,
  type ProviderConversation,
  type ReflectionSession,
  type SessionRoleHost,
  transcriptSource,
} from '@parley/reflections'
import type { Services } from '../services.ts'

type Host = Pick<Services, 'transcripts' | 'store' | 'publicScopes' | 'mask'> & SessionRoleHost
type Provider = NonNullable<Services['voice']>['provider']

/**
 * What was said in a call becomes the session's, once, however often it is told. Of a session that is off the record, or
 * was removed, nothing is kept, and the provider's copy goes first.
 */
export async function takeTranscript(
  session: ReflectionSession,
  conversation: ProviderConversation,
  { provider, signal, ...host }: Host & { readonly provider: Provider; readonly signal: AbortSignal },
): ReturnType<Host['transcripts']['take']> {
  const { sessionId } = session
  const { conversationId: providerConversationId, startedAt } = conversation
  const call = { sessionId, providerConversationId, startedAt }
  const isKept = session.ingestion !== 'off-record' && (await host.store.find(sessionId)) !== undefined
  if (!isKept) {
    await provider.removeConversation(providerConversationId, signal)
    if (session.sessionAudience === 'public') await host.publicScopes.end(sessionId)
    return host.transcripts.take({ ...call, messages: [], title: '' })
  }
  const messages = maskIn(messagesOfConversation(conversation), host.mask)
  const source = await sourceOf(session, messages, host)
  return host.transcripts.take({ ...call, messages, title: titleOf(messages), ...(source && { source }) })
}

type Messages = Parameters<typeof transcriptSource>[0]

/** What a session is learned from; undefined where it is not, by what was settled at its start or as its person stands now. */
export async function sourceOf(session: ReflectionSession, messages: Messages, host: SessionRoleHost) {
  const { ingestion, reflectionId, mode, sessionAudience, createdAt } = session
  if (ingestion !== 'ingest') return undefined
  const [reflection, role] = await Promise.all([
    host.reflections.find(reflectionId),
    // A link that is over by now was good for what was said by it; one that was revoked is not.
    currentSessionRole(session, host, Date.parse(createdAt)),
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
  return transcriptSource(messages, { mode, role, startedAt: createdAt, of: creatorName ?? displayName })
}

/** After what the person said first. */
function titleOf(messages: Messages): string {
  const [part] = messages.find(({ role }) => role === 'user')?.content ?? []
  return part?.type === 'text' ? sessionTitle(part.text) : ''
}
