import { PlatformError } from '@parley/contracts'
import { type VerifiedWebhook, verifyWebhook } from '@parley/elevenlabs'
import { receiveCallEvent } from '@parley/reflections'
import type { Services } from '../services.ts'
import type { Handlers } from './register-endpoints.ts'

/** The voice provider's messages about calls that are over. */
export function createWebhookHandlers(services: Services) {
  const { sessionRows, webhook, logger } = services

  return {
    receiveElevenLabsWebhook: async (c) => {
      const verified = await verifyWebhook({
        // The raw bytes: the signature covers them.
        rawBody: new Uint8Array(await c.req.arrayBuffer()),
        header: c.req.header('elevenlabs-signature'),
        secrets: (await webhook?.secrets()) ?? [],
        now: Date.now(),
        seen: { isTaken: (key) => sessionRows.isEventTaken(key) },
      })
      if (verified.kind === 'refused') {
        throw new PlatformError('unauthenticated', { message: REFUSALS[verified.reason] })
      }
      if (verified.kind === 'replayed') return c.body(null, 200)
      const { event } = verified
      if (event.kind === 'unknown') {
        // Not recorded as taken: a later version may understand it when it is sent again.
        logger.warn(
          { type: event.type },
          'a webhook was not understood: its call is read from the provider later',
        )
        return c.body(null, 200)
      }
      await receiveCallEvent(event, services, c.req.raw.signal)
      // Recorded last: a failed webhook is taken when it is sent again. Each call is stored only once.
      await sessionRows.recordEvent(verified.key)
      return c.body(null, 200)
    },
  } satisfies Partial<Handlers>
}

type RefusedReason = Extract<VerifiedWebhook, { readonly kind: 'refused' }>['reason']

const REFUSALS: Record<RefusedReason, string> = {
  no_secret: 'This server has no webhook secret yet. Send the webhook again later.',
  no_signature:
    'The header elevenlabs-signature is missing or has another form than "t=<seconds>,v0=<hash>".',
  wrong_signature: 'The signature is wrong: it was made from another body or with another secret.',
  too_old: 'The signature is too old.',
  in_the_future: 'The time of the signature is in the future.',
  not_json: 'The body is not JSON.',
}
