import { PlatformError } from '@parley/contracts'
import type { VoiceProvider } from '@parley/reflections'
import { agentOutcome } from './call/agent-outcome.ts'
import type { Caller } from './call/caller.ts'

/** How long a connection may be opened with a credential. */
const VALID_MS = 15 * 60_000

/** An agent is refused without a word of how it would be reached. */
const OF_TRANSPORT = /\b(?:webrtc|livekit)\b/i

type Credentials = Pick<VoiceProvider, 'getSignedUrl' | 'getConversationToken'>

export const credentialsOf = ({ call, now }: Caller): Credentials => ({
  async getSignedUrl(agentId, signal) {
    const ask = async () => {
      const askedAt = now()
      const answer = await call('credential', signal, (client, options) =>
        client.conversationalAi.conversations.getSignedUrl({ agentId, includeConversationId: true }, options),
      )
      return {
        kind: 'signed_url',
        signedUrl: answer.signedUrl,
        providerConversationId: conversationIdIn(answer),
        expiresAt: new Date(askedAt + VALID_MS).toISOString(),
      } as const
    }
    return agentOutcome(agentId, ask())
  },

  async getConversationToken(agentId, signal) {
    const ask = async () => {
      const askedAt = now()
      const { token, conversationId } = await call('credential', signal, (client, options) =>
        client.conversationalAi.conversations.getWebrtcToken({ agentId }, options),
      )
      return {
        kind: 'conversation_token',
        conversationToken: token,
        providerConversationId: conversationId,
        expiresAt: new Date(expiryOf(token) ?? askedAt + VALID_MS).toISOString(),
      } as const
    }
    const outcome = await agentOutcome(agentId, ask())
    const isOfTransport = outcome.kind === 'agent_not_usable' && OF_TRANSPORT.test(outcome.reason)
    return isOfTransport ? { kind: 'transport_not_usable', reason: outcome.reason } : outcome
  },
})

interface IssuedUrl {
  readonly signedUrl: string
  /** Not in the SDK's type, hence unconverted. */
  readonly conversation_id?: unknown
}

/** It stands in the answer or in the address itself. */
function conversationIdIn(answer: IssuedUrl): string {
  const { signedUrl, conversation_id: told } = answer
  if (typeof told === 'string') return told
  const found = URL.canParse(signedUrl) ? new URL(signedUrl).searchParams.get('conversation_id') : null
  if (found) return found
  throw new PlatformError('provider_unavailable', {
    message:
      'The voice provider issued a signed URL without a conversation id, so it cannot be bound to a session.',
  })
}

/** When a token of three parts says that it expires, in milliseconds. */
function expiryOf(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : undefined
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1_000 : undefined
  } catch {
    return undefined
  }
}
