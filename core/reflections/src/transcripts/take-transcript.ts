import { maskValue, createSessionTitle, type SessionStore } from '@parley/engine'
import type { SessionRoleHost } from '../access/session-role.ts'
import type { ProviderConversation } from '../ports/provider-conversation.ts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import type { TranscriptMessage, TranscriptStore } from '../ports/transcript-store.ts'
import type { VoiceProvider } from '../ports/voice-provider.ts'
import { sourceOfSession } from '../sessions/end-session.ts'
import type { PublicScopePort } from '../starting/starting-host.ts'
import { messagesOfConversation } from './messages-of-conversation.ts'

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
 * Stores the transcript of a call with its session, once, however often it arrives. Of a session that is off the record or
 * was removed nothing is stored, and the provider's copy is removed first.
 */
export async function takeTranscript(
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
  const messages = maskValue(messagesOfConversation(conversation), host.mask)
  const source = await sourceOfSession(session, messages, host)
  return host.transcripts.take({ ...call, messages, title: titleOf(messages), ...(source && { source }) })
}

/** The person's first words. */
function titleOf(messages: readonly TranscriptMessage[]): string {
  const [part] = messages.find(({ role }) => role === 'user')?.content ?? []
  return part?.type === 'text' ? createSessionTitle(part.text) : ''
}
