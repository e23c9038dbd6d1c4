import { type Handlers, omitUndefined } from './handlers.ts'
import { PlatformError } from '@parley/contracts'
import type { Services } from '../services.ts'

/** The version history of a reflection's artifacts, and each version as stored. */
export function createArtifactHandlers({ runtime }: Services) {
  return {
    listGenerations: async (c) => {
      return c.json(
        await runtime.readLedger(c.get('reflection').id, omitUndefined(c.req.valid('query'))),
        200,
      )
    },

    getGeneration: async (c) => {
      const { generation } = c.req.valid('param')
      const stored = await runtime.readGeneration(c.get('reflection').id, generation)
      if (stored) return c.json(stored, 200)
      throw new PlatformError('not_found', {
        message: `There is no generation ${generation} of this reflection. GET …/artifacts lists them.`,
      })
    },
  } satisfies Partial<Handlers>
}
