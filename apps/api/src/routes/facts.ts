import { type Handlers, omitUndefined } from './register-endpoints.ts'
import { PlatformError } from '@parley/contracts'
import { createConfidentialFilter, toReadableFacts, removeConfidentialEvidence } from '@parley/reflections'
import { getMember } from '../auth/admit-caller.ts'
import type { Services } from '../services.ts'

/** The facts of a reflection, the history of each, and corrections. */
export function createFactHandlers({ reflections }: Services) {
  return {
    listFacts: async (c) => {
      const { reflectionId, role, personId, knowledge } = getMember(c, reflections)
      const { after, order, cursor, ...query } = omitUndefined(c.req.valid('query'))
      const filter = { ...query, ...createConfidentialFilter(role, personId) }
      const isPart = after !== undefined || order !== undefined
      if (isPart && cursor !== undefined) {
        throw new PlatformError('validation', {
          message: 'cursor: only for the default order. With order, skip entries by `after`.',
        })
      }
      const page = isPart
        ? await knowledge.listFactSection(reflectionId, {
            ...filter,
            after: after ?? 0,
            ...(order && { order }),
          })
        : await knowledge.listFacts(reflectionId, { ...filter, ...(cursor !== undefined && { cursor }) })
      const items = page.items.map((fact) => removeConfidentialEvidence(fact, role))
      return c.json({ ...page, items }, 200)
    },

    getFactHistory: async (c) => {
      const { factId } = c.req.valid('param')
      const { reflectionId, role, knowledge } = getMember(c, reflections)
      const items = toReadableFacts(await knowledge.readFactHistory(reflectionId, factId), role)
      if (items.length === 0) {
        throw new PlatformError('not_found', { message: `There is no fact ${factId} in this reflection.` })
      }
      return c.json({ items }, 200)
    },

    proposeCorrection: async (c) => {
      const { personId } = c.get('caller')
      return c.json(
        await reflections.proposeCorrection(c.get('reflection').id, c.req.valid('json'), personId),
        202,
      )
    },
  } satisfies Partial<Handlers>
}
