import { createHmac } from 'node:crypto'
import { PlatformError } from '@parley/contracts'
import type { JsonBody, WebhookDelivery, ProviderStore } from '@parley/postgres'
import { toUnixSeconds } from '../documents.ts'

export interface DeliveryHost {
  readonly store: Pick<ProviderStore, 'conversations' | 'deliveries' | 'documents'>
  readonly now: () => number
  readonly timeoutMs: number
  /** Waits after the first failure, the second, and so on. After the last one the delivery is dropped. */
  readonly pausesMs: readonly number[]
  readonly stopping: AbortSignal
}

/** Makes one delivery attempt and records the result. A crash in between only repeats the delivery. */
async function attemptDelivery(delivery: WebhookDelivery, host: DeliveryHost): Promise<void> {
  const { store, now, timeoutMs, pausesMs, stopping } = host
  const { deliveries, documents } = store
  const { id, webhookId, attempt } = delivery
  const found = await documents.get('webhook', webhookId)
  if (!found || isDisabled(toWebhook(found.body))) return deliveries.remove(id)
  const secret = await documents.readSecret('webhook', webhookId)
  if (secret === undefined) {
    await deliveries.remove(id)
    throw createNoSecretError(webhookId)
  }

  const webhook = toWebhook(found.body)
  const { body, isAudio } = await readBody(delivery, store)
  const { webhook_url: url, request_headers: headers } = webhook
  const signature = signWebhook(secret, body, now())
  const posted = await postWebhook({ url, headers, signature, body, isChunked: isAudio }, timeoutMs, stopping)
  if (posted.kind === 'cancelled') return deliveries.putOff(id, new Date(now()))

  const next = decideAfterAttempt(posted, attempt, webhook, pausesMs)
  if (next.kind === 'again') await deliveries.putOff(id, new Date(now() + next.afterMs))
  else await deliveries.remove(id)
  await documents.change(
    'webhook',
    webhookId,
    (current) => countAttempt(toWebhook(current), posted, now()) as unknown as JsonBody,
  )
}

async function readBody(
  { body, conversationId }: WebhookDelivery,
  { conversations }: Pick<ProviderStore, 'conversations'>,
): Promise<{ readonly body: string; readonly isAudio: boolean }> {
  const event = JSON.parse(body) as { readonly type: string; readonly data: object }
  if (event.type !== 'post_call_audio') return { body, isAudio: false }
  const audio = await conversations.readAudio(conversationId)
  const full_audio = Buffer.from(audio ?? []).toString('base64')
  return { body: JSON.stringify({ ...event, data: { ...event.data, full_audio } }), isAudio: true }
}

const createNoSecretError = (webhookId: string) =>
  new PlatformError('config_invalid', {
    webhookId,
    message: `The secret of webhook ${webhookId} cannot be decrypted, so nothing is sent. Delete the webhook and create it again.`,
  })

/** The header that proves the origin and age of a body. */
function signWebhook(secret: string, body: string, now: number): string {
  const seconds = toUnixSeconds(now)
  const hash = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v0=${hash}`
}

export type AttemptDecision =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'given-up' }

type FinishedPost = Exclude<PostResult, { kind: 'cancelled' }>

/** Decides the next step: 200 means delivered, and temporary failures are retried. */
export function decideAfterAttempt(
  posted: FinishedPost,
  attempt: number,
  { retry_enabled }: Pick<WebhookDocument, 'retry_enabled'>,
  pausesMs: readonly number[],
): AttemptDecision {
  if (isReceived(posted)) return { kind: 'delivered' }
  const afterMs = pausesMs[attempt - 1]
  if (!retry_enabled || !isTemporary(posted) || afterMs === undefined) return { kind: 'given-up' }
  return { kind: 'again', afterMs }
}

/** Failures in a row that disable a webhook, unless it succeeded recently. */
const MAX_FAILURES = 10
const RECENT_SECONDS = 7 * 24 * 3_600

/** The webhook with the counters updated after an attempt. */
export function countAttempt(webhook: WebhookDocument, posted: FinishedPost, now: number): WebhookDocument {
  const seconds = toUnixSeconds(now)
  if (isReceived(posted))
    return { ...webhook, consecutive_failures: 0, most_recent_success_timestamp: seconds }
  const failures = (webhook.consecutive_failures ?? 0) + 1
  const lastSuccess = webhook.most_recent_success_timestamp
  const succeededRecently = lastSuccess !== undefined && seconds - lastSuccess <= RECENT_SECONDS
  return {
    ...webhook,
    consecutive_failures: failures,
    most_recent_failure_timestamp: seconds,
    most_recent_failure_error_code: posted.kind === 'answered' ? posted.status : null,
    is_auto_disabled: webhook.is_auto_disabled || (failures >= MAX_FAILURES && !succeededRecently),
  }
}

const isReceived = (posted: FinishedPost): boolean => posted.kind === 'answered' && posted.status === 200

const isTemporary = (posted: FinishedPost): boolean =>
  posted.kind !== 'answered' || posted.status === 429 || posted.status >= 500

/** Result of one request. */
type PostResult =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** Stopped by us; the receiver may have got it. */
  | { readonly kind: 'cancelled' }

interface WebhookPost {
  readonly url: string
  /** Configured by the owner. */
  readonly headers: Readonly<Record<string, string>>
  readonly signature: string
  readonly body: string
  readonly isChunked: boolean
}

/** Sends one event. Never throws. */
async function postWebhook(
  { url, headers, signature, body, isChunked }: WebhookPost,
  timeoutMs: number,
  stopping: AbortSignal,
): Promise<PostResult> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: buildWebhookHeaders(headers, signature),
      redirect: 'manual',
      signal: AbortSignal.any([timeout, stopping]),
      ...(isChunked ? { body: new Blob([body]).stream(), duplex: 'half' } : { body }),
    })
    // Only the status matters.
    await response.body?.cancel()
    return { kind: 'answered', status: response.status }
  } catch (failure) {
    if (stopping.aborted) return { kind: 'cancelled' }
    if (timeout.aborted) return { kind: 'timeout' }
    return {
      kind: 'unreachable',
      reason: String(failure instanceof Error ? (failure.cause ?? failure) : failure),
    }
  }
}

function buildWebhookHeaders(own: WebhookPost['headers'], signature: string): Headers {
  const headers = new Headers(own)
  headers.set('content-type', 'application/json')
  headers.set('elevenlabs-signature', signature)
  return headers
}

/** The stored webhook fields that deliveries use. */
export interface WebhookDocument {
  readonly webhook_url: string
  readonly request_headers: Readonly<Record<string, string>>
  readonly is_disabled: boolean
  readonly is_auto_disabled: boolean
  readonly retry_enabled: boolean
  readonly consecutive_failures?: number
  readonly most_recent_success_timestamp?: number
  readonly most_recent_failure_timestamp?: number
  /** Null if there was no answer. */
  readonly most_recent_failure_error_code?: number | null
}

export const toWebhook = (body: JsonBody): WebhookDocument => body as unknown as WebhookDocument

/** Disabled by its owner, or by us after too many failures. */
export const isDisabled = ({ is_disabled, is_auto_disabled }: WebhookDocument): boolean =>
  is_disabled || is_auto_disabled

export interface DelivererHost {
  readonly store: Pick<ProviderStore, 'conversations' | 'deliveries' | 'documents'>
  readonly now: () => number
  readonly onError: (error: unknown) => void
  readonly pace?: Partial<DeliveryPace>
}

interface DeliveryPace {
  readonly timeoutMs: number
  /** How long a claimed delivery is reserved for this process. Longer than an attempt can take. */
  readonly holdMs: number
  /** Polling interval for due deliveries. */
  readonly pollMs: number
  readonly pausesMs: readonly number[]
}

const DEFAULT_PACE: DeliveryPace = {
  timeoutMs: 10_000,
  holdMs: 30_000,
  pollMs: 2_000,
  pausesMs: [5_000, 30_000, 120_000, 600_000, 1_800_000],
}

const MAX_AT_ONCE = 8

interface Deliverer {
  /** Checks for due deliveries at once. */
  readonly wake: () => void
  /** Cancels running deliveries and leaves them to the next process. */
  readonly stop: () => Promise<void>
}

/** Sends due webhook deliveries, including those of earlier processes. */
export function startDeliverer({ store, now, onError, pace }: DelivererHost): Deliverer {
  const { holdMs, pollMs, ...settings } = { ...DEFAULT_PACE, ...pace }
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let isWoken = false
  let endPause: (() => void) | undefined

  const wake = () => {
    isWoken = true
    endPause?.()
  }

  const start = (delivery: WebhookDelivery) => {
    const work = attemptDelivery(delivery, { store, now, ...settings, stopping: stopping.signal })
      .catch(onError)
      .finally(() => {
        running.delete(work)
        wake()
      })
    running.add(work)
  }

  const claim = async (): Promise<readonly WebhookDelivery[]> => {
    const free = MAX_AT_ONCE - running.size
    if (free === 0) return []
    try {
      return await store.deliveries.claim(free, holdMs)
    } catch (failure) {
      onError(failure)
      return []
    }
  }

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMs).unref()
      endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const poll = async () => {
    while (!stopping.signal.aborted) {
      isWoken = false
      const claimed = await claim()
      for (const delivery of claimed) start(delivery)
      if (claimed.length === 0 && !isWoken) await pause()
    }
  }

  const polling = poll()
  return {
    wake,
    async stop() {
      stopping.abort()
      wake()
      await polling
      await Promise.all(running)
    },
  }
}
