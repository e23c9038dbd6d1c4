import { PlatformError } from '@parley/contracts'
import type { Body, Delivery, ProviderStore } from '@parley/postgres'
import { afterAttempt, withAttempt } from './after-attempt.ts'
import { postWebhook } from './post-webhook.ts'
import { signWebhook } from './sign-webhook.ts'
import { isOff, webhookOf } from './webhook-document.ts'

export interface DeliveryHost {
  readonly store: Pick<ProviderStore, 'conversations' | 'deliveries' | 'documents'>
  readonly now: () => number
  readonly timeoutMs: number
  /** After the first failure, the second … and after the last of them it is given up. */
  readonly pausesMs: readonly number[]
  readonly stopping: AbortSignal
}

/** One attempt at one delivery, and what follows from it. Who dies in between sends it again, and loses nothing. */
export async function deliver(delivery: Delivery, host: DeliveryHost): Promise<void> {
  const { store, now, timeoutMs, pausesMs, stopping } = host
  const { deliveries, documents } = store
  const { id, webhookId, attempt } = delivery
  const found = await documents.get('webhook', webhookId)
  if (!found || isOff(webhookOf(found.body))) return deliveries.remove(id)
  const secret = await documents.secretOf('webhook', webhookId)
  if (secret === undefined) {
    await deliveries.remove(id)
    throw unsigned(webhookId)
  }

  const webhook = webhookOf(found.body)
  const { body, isAudio } = await bodyOf(delivery, store)
  const { webhook_url: url, request_headers: headers } = webhook
  const signature = signWebhook(secret, body, now())
  const posted = await postWebhook({ url, headers, signature, body, isChunked: isAudio }, timeoutMs, stopping)
  if (posted.kind === 'called-off') return deliveries.putOff(id, new Date(now()))

  const next = afterAttempt(posted, attempt, webhook, pausesMs)
  if (next.kind === 'again') await deliveries.putOff(id, new Date(now() + next.afterMs))
  else await deliveries.remove(id)
  await documents.change(
    'webhook',
    webhookId,
    (current) => withAttempt(webhookOf(current), posted, now()) as unknown as Body,
  )
}

async function bodyOf(
  { body, conversationId }: Delivery,
  { conversations }: Pick<ProviderStore, 'conversations'>,
): Promise<{ readonly body: string; readonly isAudio: boolean }> {
  const event = JSON.parse(body) as { readonly type: string; readonly data: object }
  if (event.type !== 'post_call_audio') return { body, isAudio: false }
  const audio = await conversations.audio(conversationId)
  const full_audio = Buffer.from(audio ?? []).toString('base64')
  return { body: JSON.stringify({ ...event, data: { ...event.data, full_audio } }), isAudio: true }
}

const unsigned = (webhookId: string) =>
  new PlatformError('config_invalid', {
    webhookId,
    message: `The secret of the webhook ${webhookId} cannot be opened, so nothing is sent to it. Delete it and create it again.`,
  })
