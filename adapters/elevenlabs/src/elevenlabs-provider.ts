import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import { PlatformError } from '@parley/contracts'
import type { ServerTool, VoiceProvider } from '@parley/reflections'
import { agentTestsOf } from './agent-tests.ts'
import { agentsOf } from './agents.ts'
import {
  type Caller,
  type ElevenLabsSettings,
  agentOutcome,
  allPages,
  createCaller,
  unlessMissing,
} from './call/caller.ts'
import { conversationsOf } from './conversations.ts'
import { heldToolOf, toolConfigOf } from './tools.ts'

const TEST_RUN_MS = 10 * 60_000

/** ElevenLabs, or what speaks as it does at another address. */
export function elevenLabsProvider(settings: ElevenLabsSettings): VoiceProvider {
  const caller = createCaller(settings)
  return {
    ...agentsOf(caller),
    ...credentialsOf(caller),
    ...conversationsOf(caller),
    ...toolsOf(caller),
    ...workspaceOf(caller),
    ...voicesOf(caller),
    ...agentTestsOf(caller, settings.testRunMs ?? TEST_RUN_MS),
  }
}

const voicesOf = ({ call }: Caller): Pick<VoiceProvider, 'listVoices'> => ({
  async listVoices(signal) {
    const voices = await allPages(async ({ cursor }) => {
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

/** Made from the recordings of a person. */
const CLONES: readonly ElevenLabs.VoiceCategory[] = ['cloned', 'professional']

type Tools = Pick<VoiceProvider, 'ensureTool' | 'readTool' | 'removeTool'>

const toolsOf = ({ call }: Caller): Tools => ({
  async ensureTool(tool, signal) {
    const request = { toolConfig: toolConfigOf(tool) }
    const tools = await allPages(async (cursor) => {
      const page = await call('read', signal, (client, options) =>
        client.conversationalAi.tools.list({ search: tool.name, pageSize: 100, ...cursor }, options),
      )
      return { items: page.tools, ...page }
    })
    // By address too: another installation may have a tool of the same name in this workspace.
    const held = tools.find(({ toolConfig }) => isSame(toolConfig, tool))
    const { id } = await call('write', signal, (client, options) =>
      held
        ? client.conversationalAi.tools.update(held.id, request, options)
        : client.conversationalAi.tools.create(request, options),
    )
    return id
  },

  async readTool(toolId, signal) {
    const held = await unlessMissing(
      call('read', signal, (client, options) => client.conversationalAi.tools.get(toolId, {}, options)),
    )
    return held?.toolConfig.type === 'webhook' ? heldToolOf(held.toolConfig) : undefined
  },

  async removeTool(toolId, signal) {
    await unlessMissing(
      call('write', signal, (client, options) => client.conversationalAi.tools.delete(toolId, {}, options)),
    )
  },
})

const isSame = (held: ElevenLabs.ToolResponseModelToolConfig, { name, url }: ServerTool): boolean =>
  held.type === 'webhook' && held.name === name && held.apiSchema.url === url

type Workspace = Pick<VoiceProvider, 'ensureSecret' | 'findSecret' | 'ensureWebhook'>

const workspaceOf = ({ call }: Caller): Workspace => ({
  async ensureSecret(name, value, signal) {
    const held = await secretOf(call, name, signal)
    const { secretId } = await call('write', signal, (client, options) =>
      held
        ? client.conversationalAi.secrets.update(held, { name, value }, options)
        : client.conversationalAi.secrets.create({ name, value }, options),
    )
    return secretId
  },

  findSecret: (name, signal) => secretOf(call, name, signal),

  async ensureWebhook({ name, url }, signal) {
    // What cannot be told at once is tried again only where that was asked for.
    const turnOn = (webhookId: string) =>
      call('write', signal, (client, options) =>
        client.webhooks.update(webhookId, { isDisabled: false, name, retryEnabled: true }, options),
      )
    const { webhooks } = await call('read', signal, (client, options) => client.webhooks.list({}, options))
    const held = webhooks.find(({ webhookUrl }) => webhookUrl === url)
    if (!held) {
      const { webhookId, webhookSecret } = await call('write', signal, (client, options) =>
        client.webhooks.create({ settings: { authType: 'hmac', name, webhookUrl: url } }, options),
      )
      // The secret is told this once: it is not lost for a webhook that only cannot be made to try again.
      await turnOn(webhookId).catch(() => undefined)
      return { webhookId, ...(webhookSecret !== undefined && { secret: webhookSecret }) }
    }
    // The provider turns one off that failed for long; being asked for it means that it should be on.
    if (held.isDisabled || held.isAutoDisabled) await turnOn(held.webhookId)
    return { webhookId: held.webhookId }
  },
})

async function secretOf(call: Caller['call'], name: string, signal: AbortSignal) {
  // Without a page size they all come at once.
  const { secrets } = await call('read', signal, (client, options) =>
    client.conversationalAi.secrets.list({}, options),
  )
  return secrets.find((secret) => secret.name === name)?.secretId
}

/** How long a connection may be opened with a credential. */
const VALID_MS = 15 * 60_000

/** An agent is refused without a word of how it would be reached. */
const OF_TRANSPORT = /\b(?:webrtc|livekit)\b/i

type Credentials = Pick<VoiceProvider, 'getSignedUrl' | 'getConversationToken'>

const credentialsOf = ({ call, now }: Caller): Credentials => ({
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
