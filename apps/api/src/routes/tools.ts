import type { Handlers } from './handlers.ts'
import {
  SAY_GOODBYE,
  fenceEvidence,
  proposeFactCorrection,
  requestSourceIngest,
  retrieveContext,
} from '@parley/reflections'
import { sha256 } from '../node-host.ts'
import { reflectionHost } from '../reflections/reflection-sessions.ts'
import type { Services } from '../services.ts'

/** The tools of the voice provider's agents. Their origin is proven before a handler runs. */
export function toolHandlers(services: Services) {
  return {
    retrieveContext: async (c) => {
      const { query } = c.req.valid('json')
      const origin = c.get('callOrigin')
      const found = await retrieveContext(origin, { query }, reflectionHost(services), c.req.raw.signal)
      const { isOutdated } = origin.session ?? {}
      // The agent's prompt holds sources that were unpublished or removed during the call.
      return c.json({ ...fenceEvidence(found, sha256), ...(isOutdated && { message: SAY_GOODBYE }) }, 200)
    },

    requestSourceIngest: async (c) => {
      const { title, text } = c.req.valid('json')
      const { id } = await requestSourceIngest(c.get('callOrigin'), { title, text }, reflectionHost(services))
      return c.json({ sourceId: id }, 202)
    },

    proposeFactCorrection: async (c) => {
      const { fact, correction } = c.req.valid('json')
      const host = reflectionHost(services)
      return c.json(await proposeFactCorrection(c.get('callOrigin'), { fact, correction }, host), 202)
    },
  } satisfies Partial<Handlers>
}
