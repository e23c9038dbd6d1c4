import type { Handlers } from './handlers.ts'
import { PlatformError } from '@parley/contracts'
import { verifyWebhook, type WebhookEvent } from '@parley/elevenlabs'
import { takeTranscript } from '@parley/reflections'
import type { Services } from '../services.ts'
import { isOver } from '../reflections/reconcile.ts'

/** What the voice provider tells of calls that are over. */
export function webhookHandlers(services: Services) {
  const { reflectionSessions, transcripts, voice, webhook, logger } = services

  /** Of the call that it is bound to, or was before it was lost and another took its place. */

  return {
    receiveElevenLabsWebhook: async (c) => {
      const verified = await verifyWebhook({
        // As it came: what was parsed and written again has another signature.
        rawBody: new Uint8Array(await c.req.arrayBuffer()),
        header: c.req.header('elevenlabs-signature'),
        secrets: (await webhook?.secrets()) ?? [],
        now: Date.now(),
        seen: { isTaken: (key) => reflectionSessions.isEventTaken(key) },
      })
      if (verified.kind === 'refused') {
        throw new PlatformError('unauthenticated', { message: `The webhook is refused: ${verified.reason}.` })
      }
      if (verified.kind === 'verified') {
        const { event } = verified
        if (event.kind === 'unknown') {
          // Not recorded as taken: a later version may understand it when it is sent again.
          logger.warn(
            { type: event.type },
            'a webhook was not understood: its call is read from the provider later',
          )
          return c.body(null, 200)
        }
        await hear(event, c.req.raw.signal)
        // Recorded last: a failed webhook is taken when it is sent again. Each call is stored only once.
        await reflectionSessions.noteEvent(verified.key)
      }
      return c.body(null, 200)
    },
  } satisfies Partial<Handlers>

  async function sessionOf(conversationId: string) {
    const bound = await reflectionSessions.findByProvider(conversationId)
    if (bound) return bound
    const earlier = await transcripts.findEarlier(conversationId)
    return earlier && reflectionSessions.find(earlier.sessionId)
  }

  async function hear(event: Understood, signal: AbortSignal): Promise<void> {
    const conversationId = conversationOf(event)
    const session = await sessionOf(conversationId)
    if (!session || !voice) {
      logger.info({ event: event.kind, conversationId }, 'a webhook for a call of another server')
      return
    }
    if (event.kind === 'call_failed') {
      const call = { sessionId: session.sessionId, providerConversationId: event.conversationId }
      await transcripts.giveUp(call, { boundBefore: new Date().toISOString(), failure: 'call_failed' })
    }
    if (event.kind !== 'transcript' || !isOver(event.conversation)) return
    const { provider } = voice
    await takeTranscript(session, event.conversation, { ...services, provider, signal })
  }
}

type Understood = Exclude<WebhookEvent, { readonly kind: 'unknown' }>

const conversationOf = (event: Understood): string =>
  event.kind === 'transcript' ? event.conversation.conversationId : event.conversationId
