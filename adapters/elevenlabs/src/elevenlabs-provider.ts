import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import { PlatformError } from '@parley/contracts'
import type { VoiceProvider } from '@parley/reflections'
import { createAgentMethods, createAgentTestMethods } from './agents.ts'
import {
  type VendorCaller,
  type ElevenLabsSettings,
  toAgentOutcome,
  readAllPages,
  createCaller,
} from './vendor-caller.ts'
import { createConversationMethods } from './conversations.ts'
import { createToolMethods } from './tools.ts'

const TEST_RUN_MS = 10 * 60_000

/** ElevenLabs, or a compatible provider at another address. */
export function createElevenLabsProvider(settings: ElevenLabsSettings): VoiceProvider {
  const caller = createCaller(settings)
  return {
    ...createAgentMethods(caller),
    ...createCredentialMethods(caller),
    ...createConversationMethods(caller),
    ...createToolMethods(caller),
    ...createWorkspaceMethods(caller),
    ...createVoiceMethods(caller),
    ...createAgentTestMethods(caller, settings.testRunMs ?? TEST_RUN_MS),
  }
}

const createVoiceMethods = ({ call }: VendorCaller): Pick<VoiceProvider, 'listVoices'> => ({
  async listVoices(signal) {
    const voices = await readAllPages(async ({ cursor }) => {
      const page = await call('read', signal, (client, options) =>
        client.voices.search(
          { pageSize: 100, includeTotalCount: false, ...(cursor !== undefined && { nextPageToken: cursor }) },
          options,
        ),
      )
      return {
        items: page.voices,
        hasMore: page.hasMore,
        ...(page.nextPageToken && { nextCursor: page.nextPageToken }),
      }
    })
    return voices.map(({ voiceId, name, description, category }) => ({
      voiceId,
      name: name ?? voiceId,
      ...(description && { description }),
      kind: category !== undefined && CLONES.includes(category) ? ('clone' as const) : ('stock' as const),
    }))
  },
})

/** Voices made from a person's recordings. */
const CLONES: readonly ElevenLabs.VoiceCategory[] = ['cloned', 'professional']

type Workspace = Pick<VoiceProvider, 'ensureSecret' | 'findSecret' | 'ensureWebhook'>

const createWorkspaceMethods = ({ call }: VendorCaller): Workspace => ({
  async ensureSecret(name, value, signal) {
    const existing = await findSecretId(call, name, signal)
    const { secretId } = await call('write', signal, (client, options) =>
      existing
        ? client.conversationalAi.secrets.update(existing, { name, value }, options)
        : client.conversationalAi.secrets.create({ name, value }, options),
    )
    return secretId
  },

  findSecret: (name, signal) => findSecretId(call, name, signal),

  async ensureWebhook({ name, url }, signal) {
    // The provider retries failed deliveries only if `retryEnabled` is set.
    const enable = (webhookId: string) =>
      call('write', signal, (client, options) =>
        client.webhooks.update(webhookId, { isDisabled: false, name, retryEnabled: true }, options),
      )
    const { webhooks } = await call('read', signal, (client, options) => client.webhooks.list({}, options))
    const existing = webhooks.find(({ webhookUrl }) => webhookUrl === url)
    if (!existing) {
      const { webhookId, webhookSecret } = await call('write', signal, (client, options) =>
        client.webhooks.create({ settings: { authType: 'hmac', name, webhookUrl: url } }, options),
      )
      // The provider returns the secret only here, so a failed update must not lose it.
      await enable(webhookId).catch(() => undefined)
      return { webhookId, ...(webhookSecret !== undefined && { secret: webhookSecret }) }
    }
    // The provider disables webhooks that fail for long; enable it again.
    if (existing.isDisabled || existing.isAutoDisabled) await enable(existing.webhookId)
    return { webhookId: existing.webhookId }
  },
})

async function findSecretId(call: VendorCaller['call'], name: string, signal: AbortSignal) {
  // Without a page size the provider returns all.
  const { secrets } = await call('read', signal, (client, options) =>
    client.conversationalAi.secrets.list({}, options),
  )
  return secrets.find((secret) => secret.name === name)?.secretId
}

/** How long a credential can open a connection. */
const CREDENTIAL_VALID_MS = 15 * 60_000

/** Matches a reason if the transport is the problem. */
const TRANSPORT_PROBLEM = /\b(?:webrtc|livekit)\b/i

type Credentials = Pick<VoiceProvider, 'getSignedUrl' | 'getConversationToken'>

const createCredentialMethods = ({ call, now }: VendorCaller): Credentials => ({
  async getSignedUrl(agentId, signal) {
    const issue = async () => {
      const issuedAt = now()
      const answer = await call('credential', signal, (client, options) =>
        client.conversationalAi.conversations.getSignedUrl({ agentId, includeConversationId: true }, options),
      )
      return {
        kind: 'signed_url',
        signedUrl: answer.signedUrl,
        providerConversationId: readConversationId(answer),
        expiresAt: new Date(issuedAt + CREDENTIAL_VALID_MS).toISOString(),
      } as const
    }
    return toAgentOutcome(agentId, issue())
  },

  async getConversationToken(agentId, signal) {
    const issue = async () => {
      const issuedAt = now()
      const { token, conversationId } = await call('credential', signal, (client, options) =>
        client.conversationalAi.conversations.getWebrtcToken({ agentId }, options),
      )
      return {
        kind: 'conversation_token',
        conversationToken: token,
        providerConversationId: conversationId,
        expiresAt: new Date(readJwtExpiry(token) ?? issuedAt + CREDENTIAL_VALID_MS).toISOString(),
      } as const
    }
    const outcome = await toAgentOutcome(agentId, issue())
    const isTransportProblem = outcome.kind === 'agent_not_usable' && TRANSPORT_PROBLEM.test(outcome.reason)
    return isTransportProblem ? { kind: 'transport_not_usable', reason: outcome.reason } : outcome
  },
})

interface IssuedUrl {
  readonly signedUrl: string
  /** Not in the SDK's type, hence unconverted. */
  readonly conversation_id?: unknown
}

/** The id is in the answer or in the URL. */
function readConversationId(answer: IssuedUrl): string {
  const { signedUrl, conversation_id: id } = answer
  if (typeof id === 'string') return id
  const fromUrl = URL.parse(signedUrl)?.searchParams.get('conversation_id')
  if (fromUrl) return fromUrl
  throw new PlatformError('provider_unavailable', {
    message:
      'The voice provider issued a signed URL without a conversation id, so it cannot be bound to a session.',
  })
}

/** Expiry of a JWT, in milliseconds. */
function readJwtExpiry(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : undefined
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1_000 : undefined
  } catch {
    return undefined
  }
}
