import { z } from 'zod'
import type { Json } from '@parley/contracts'
import type { ProviderConversation } from '@parley/reflections'
import { toldConversationOf, WireTold } from '../conversation-of.ts'
import { dateOf } from '../date-of.ts'

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
