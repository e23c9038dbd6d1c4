import type { VoiceProvider } from '@parley/reflections'
import type { Caller } from './call/caller.ts'

type Workspace = Pick<VoiceProvider, 'ensureSecret' | 'findSecret' | 'ensureWebhook'>

export const workspaceOf = ({ call }: Caller): Workspace => ({
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
