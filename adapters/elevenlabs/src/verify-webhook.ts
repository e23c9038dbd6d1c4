import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Json } from '@parley/contracts'
import type { ProviderConversation, WebhookClaims } from '@parley/reflections'
import { WirePostCall, toEndedConversation } from './conversations.ts'
import { toIsoDate } from './vendor-values.ts'

/** The vendor's limit for old signatures, and ours for clocks that are ahead. */
const MAX_AGE_MS = 30 * 60_000
const MAX_AHEAD_MS = 5 * 60_000

export interface ReceivedWebhook {
  /** The exact bytes: the signature does not match re-serialised JSON. */
  readonly rawBody: Uint8Array
  /** The `ElevenLabs-Signature` header. */
  readonly header: string | undefined
  /** The current secret and earlier ones. */
  readonly secrets: readonly string[]
  readonly now: number
  readonly seen: WebhookClaims
}

export type VerifiedWebhook =
  /** Store the key after processing, to detect replays. */
  | { readonly kind: 'verified'; readonly event: WebhookEvent; readonly key: string }
  /** Genuine, but processed before: acknowledge and ignore it. */
  | { readonly kind: 'replayed' }
  | { readonly kind: 'refused'; readonly reason: RefusedReason }

export type RefusedReason =
  | 'no_secret'
  | 'no_signature'
  | 'wrong_signature'
  | 'too_old'
  | 'in_the_future'
  | 'not_json'

/** Checks that a webhook is genuine, recent and new, and returns its event. */
export async function verifyWebhook(received: ReceivedWebhook): Promise<VerifiedWebhook> {
  const { rawBody, header, now, seen } = received
  const secrets = received.secrets.filter((secret) => secret !== '')
  if (secrets.length === 0) return createRefusal('no_secret')
  const signature = readSignature(header)
  if (!signature) return createRefusal('no_signature')
  const genuine = findGenuineHash(signature.timestamp, signature.hashes, rawBody, secrets)
  if (genuine === undefined) return createRefusal('wrong_signature')

  const signedAt = Number(signature.timestamp)
  const sentAt = signedAt * 1_000
  if (now - sentAt > MAX_AGE_MS) return createRefusal('too_old')
  if (sentAt - now > MAX_AHEAD_MS) return createRefusal('in_the_future')

  const body = parseJson(rawBody)
  if (body === undefined) return createRefusal('not_json')
  const key = `elevenlabs:${signature.timestamp}:${genuine}`
  if (await seen.isTaken(key)) return { kind: 'replayed' }
  return { kind: 'verified', event: toWebhookEvent(body, signedAt), key }
}

const createRefusal = (reason: RefusedReason): VerifiedWebhook => ({ kind: 'refused', reason })

/** Compares every hash with every secret, so the time taken reveals nothing. */
function findGenuineHash(
  timestamp: string,
  hashes: readonly string[],
  rawBody: Uint8Array,
  secrets: readonly string[],
): string | undefined {
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex'),
  )
  const matches = expected.filter((one) => hashes.map((other) => isEqual(one, other)).includes(true))
  return matches[0]
}

/** Compares digests, because `timingSafeEqual` needs equal lengths. */
const isEqual = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

function parseJson(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody))
  } catch {
    return undefined
  }
}

interface Signature {
  /** Unix seconds as written: they are part of the signed text. */
  readonly timestamp: string
  /** More than one while the provider rotates its secret. */
  readonly hashes: readonly string[]
}

/** No sender needs more, and each costs a comparison. */
const MAX_HASHES = 10
const MAX_HEADER_LENGTH = 4_096

/** Reads `t=…,v0=…`. Ignores spaces and unknown parts. */
function readSignature(header: string | undefined): Signature | undefined {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined
  const parts = header.split(',').map((part) => part.trim())
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1).trim())

  const [timestamp, ...others] = valuesOf('t')
  if (timestamp === undefined || others.length > 0 || !/^\d{1,12}$/.test(timestamp)) return undefined
  const hashes = valuesOf('v0').filter((value) => /^[0-9a-f]{64}$/i.test(value))
  if (hashes.length === 0 || hashes.length > MAX_HASHES) return undefined
  return { timestamp, hashes: hashes.map((value) => value.toLowerCase()) }
}

/** Events that the provider sends after a conversation. */
export type WebhookEvent =
  | { readonly kind: 'transcript'; readonly sentAt: string; readonly conversation: ProviderConversation }
  | {
      readonly kind: 'audio'
      readonly sentAt: string
      readonly conversationId: string
      readonly agentId: string
      /** MP3. */
      readonly audio: Uint8Array
    }
  | {
      readonly kind: 'call_failed'
      readonly sentAt: string
      readonly conversationId: string
      readonly agentId: string
      readonly reason: string
    }
  /** Genuine, but of an unknown type or shape. */
  | { readonly kind: 'unknown'; readonly type: string; readonly body: Json }

const ConversationIds = z.looseObject({ conversation_id: z.string().min(1), agent_id: z.string().min(1) })
const event_timestamp = z.number().nullish()

const KnownEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('post_call_transcription'), event_timestamp, data: WirePostCall }),
  z.looseObject({
    type: z.literal('post_call_audio'),
    event_timestamp,
    data: ConversationIds.extend({ full_audio: z.base64() }),
  }),
  z.looseObject({
    type: z.literal('call_initiation_failure'),
    event_timestamp,
    data: ConversationIds.extend({ failure_reason: z.string().default('unknown') }),
  }),
])

/** `signedAt`, in seconds, replaces a missing event timestamp. */
export function toWebhookEvent(body: unknown, signedAt: number): WebhookEvent {
  const parsed = KnownEvent.safeParse(body)
  if (!parsed.success) return { kind: 'unknown', type: readType(body), body: body as Json }
  const sentAtSeconds = parsed.data.event_timestamp ?? signedAt
  const sentAt = toIsoDate(sentAtSeconds)
  const { type, data } = parsed.data
  switch (type) {
    case 'post_call_transcription':
      return { kind: 'transcript', sentAt, conversation: toEndedConversation(data, sentAtSeconds) }
    case 'post_call_audio':
      return { kind: 'audio', sentAt, ...toIds(data), audio: Buffer.from(data.full_audio, 'base64') }
    case 'call_initiation_failure':
      return { kind: 'call_failed', sentAt, ...toIds(data), reason: data.failure_reason }
    default:
      return type satisfies never
  }
}

const toIds = ({ conversation_id, agent_id }: z.infer<typeof ConversationIds>) => ({
  conversationId: conversation_id,
  agentId: agent_id,
})

function readType(body: unknown): string {
  const type = typeof body === 'object' && body !== null && 'type' in body ? body.type : undefined
  return typeof type === 'string' ? type : ''
}
