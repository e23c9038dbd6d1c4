import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Json } from '@parley/contracts'
import type { ProviderConversation, WebhookClaims } from '@parley/reflections'
import { WireTold, toldConversationOf } from '../conversations.ts'
import { dateOf } from '../vendor-values.ts'

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

interface Signature {
  /** Unix seconds, as they were written: they are part of what is signed. */
  readonly timestamp: string
  /** Several while the provider changes its secret. */
  readonly hashes: readonly string[]
}

/** More are nobody's; each costs a comparison. */
const MOST_HASHES = 10
const LONGEST = 4_096

/** Reads `t=…,v0=…`. Spaces do no harm; what is unknown is passed over. */
function readSignature(header: string | undefined): Signature | undefined {
  if (header === undefined || header.length > LONGEST) return undefined
  const parts = header.split(',').map((part) => part.trim())
  const valuesOf = (name: string) =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1).trim())

  const [timestamp, ...others] = valuesOf('t')
  if (timestamp === undefined || others.length > 0 || !/^\d{1,12}$/.test(timestamp)) return undefined
  const hashes = valuesOf('v0').filter((hash) => /^[0-9a-f]{64}$/i.test(hash))
  if (hashes.length === 0 || hashes.length > MOST_HASHES) return undefined
  return { timestamp, hashes: hashes.map((hash) => hash.toLowerCase()) }
}

/** What the provider tells of a conversation once it is over. */
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
  /** Genuine, and of a type or shape that we do not know. */
  | { readonly kind: 'unknown'; readonly type: string; readonly body: Json }

const Named = z.looseObject({ conversation_id: z.string().min(1), agent_id: z.string().min(1) })
const event_timestamp = z.number().nullish()

const Known = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('post_call_transcription'), event_timestamp, data: WireTold }),
  z.looseObject({
    type: z.literal('post_call_audio'),
    event_timestamp,
    data: Named.extend({ full_audio: z.base64() }),
  }),
  z.looseObject({
    type: z.literal('call_initiation_failure'),
    event_timestamp,
    data: Named.extend({ failure_reason: z.string().default('unknown') }),
  }),
])

/** `signedAt`, in seconds, stands in where it does not say itself when it was sent. */
export function eventOf(body: unknown, signedAt: number): WebhookEvent {
  const parsed = Known.safeParse(body)
  if (!parsed.success) return { kind: 'unknown', type: typeOf(body), body: body as Json }
  const toldAt = parsed.data.event_timestamp ?? signedAt
  const sentAt = dateOf(toldAt)
  const { type, data } = parsed.data
  switch (type) {
    case 'post_call_transcription':
      return { kind: 'transcript', sentAt, conversation: toldConversationOf(data, toldAt) }
    case 'post_call_audio':
      return { kind: 'audio', sentAt, ...namesOf(data), audio: Buffer.from(data.full_audio, 'base64') }
    case 'call_initiation_failure':
      return { kind: 'call_failed', sentAt, ...namesOf(data), reason: data.failure_reason }
    default:
      return type satisfies never
  }
}

const namesOf = ({ conversation_id, agent_id }: z.infer<typeof Named>) => ({
  conversationId: conversation_id,
  agentId: agent_id,
})

function typeOf(body: unknown): string {
  const type = typeof body === 'object' && body !== null && 'type' in body ? body.type : undefined
  return typeof type === 'string' ? type : ''
}
