import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookClaims } from '@parley/reflections'
import { readSignature } from './read-signature.ts'
import { eventOf, type WebhookEvent } from './webhook-event.ts'

/** The vendor's own bound, and ours for clocks that are ahead, since without one a signature would last. */
const OLDEST_MS = 30 * 60_000
const NEWEST_MS = 5 * 60_000

export interface ReceivedWebhook {
  /** As it came; what was parsed and written again has another signature. */
  readonly rawBody: Uint8Array
  /** Of `ElevenLabs-Signature`. */
  readonly header: string | undefined
  /** The current one and those before it. */
  readonly secrets: readonly string[]
  readonly now: number
  readonly seen: WebhookClaims
}

export type VerifiedWebhook =
  /** The key stands for it, once it is taken. */
  | { readonly kind: 'verified'; readonly event: WebhookEvent; readonly key: string }
  /** Genuine, and taken before: to be answered well, and left alone. */
  | { readonly kind: 'replayed' }
  | { readonly kind: 'refused'; readonly reason: RefusedReason }

export type RefusedReason =
  | 'no_secret'
  | 'no_signature'
  | 'wrong_signature'
  | 'too_old'
  | 'in_the_future'
  | 'not_json'

/** Whether a webhook is the provider's, of now, and new; then what it tells. */
export async function verifyWebhook(received: ReceivedWebhook): Promise<VerifiedWebhook> {
  const { rawBody, header, now, seen } = received
  const secrets = received.secrets.filter((secret) => secret !== '')
  if (secrets.length === 0) return refused('no_secret')
  const signature = readSignature(header)
  if (!signature) return refused('no_signature')
  const genuine = genuineOne(signature.timestamp, signature.hashes, rawBody, secrets)
  if (genuine === undefined) return refused('wrong_signature')

  const signedAt = Number(signature.timestamp)
  const sentAt = signedAt * 1_000
  if (now - sentAt > OLDEST_MS) return refused('too_old')
  if (sentAt - now > NEWEST_MS) return refused('in_the_future')

  const body = jsonOf(rawBody)
  if (body === undefined) return refused('not_json')
  const key = `elevenlabs:${signature.timestamp}:${genuine}`
  if (await seen.isTaken(key)) return { kind: 'replayed' }
  return { kind: 'verified', event: eventOf(body, signedAt), key }
}

const refused = (reason: RefusedReason): VerifiedWebhook => ({ kind: 'refused', reason })

/** Every hash is held against every secret, whatever fits first, so that time tells nothing. */
function genuineOne(
  timestamp: string,
  hashes: readonly string[],
  rawBody: Uint8Array,
  secrets: readonly string[],
): string | undefined {
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex'),
  )
  const matches = expected.filter((one) => hashes.map((hash) => isEqual(one, hash)).includes(true))
  return matches[0]
}

/** Digests are of one length, whatever they are of. */
const isEqual = (one: string, other: string): boolean => timingSafeEqual(digestOf(one), digestOf(other))

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

function jsonOf(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody))
  } catch {
    return undefined
  }
}
