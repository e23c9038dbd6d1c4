import type { Handlers } from './handlers.ts'
import { PlatformError } from '@parley/contracts'
import { confidentialFilter, readableFacts, withoutConfidentialEvidence } from '@parley/reflections'
import { readerFor } from '../auth/enter-reflection.ts'
import type { Services } from '../services.ts'
import { present } from './present.ts'

/** The facts of a reflection, the history of each, and corrections. */
export function factHandlers({ reflections }: Services) {
  return {
    listFacts: async (c) => {
      const role = c.get('memberRole')
      const { after, order, cursor, ...query } = present(c.req.valid('query'))
      const filter = { ...query, ...confidentialFilter(role, c.get('caller').personId) }
      const { id } = c.get('reflection')
      const isPart = after !== undefined || order !== undefined
      if (isPart && cursor !== undefined) {
        throw new PlatformError('validation', {
          message: 'cursor: only for the default order. With order, skip entries by `after`.',
        })
      }
      const reader = readerFor(c, reflections)
      const page = isPart
        ? await reader.factsFrom(id, { ...filter, after: after ?? 0, ...(order && { order }) })
        : await reader.facts(id, { ...filter, ...(cursor !== undefined && { cursor }) })
      const items = page.items.map((fact) => withoutConfidentialEvidence(fact, role))
      return c.json({ ...page, items }, 200)
    },

    getFactHistory: async (c) => {
      const { factId } = c.req.valid('param')
      const role = c.get('memberRole')
      const history = await readerFor(c, reflections).factHistory(c.get('reflection').id, factId)
      const items = readableFacts(history, role)
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
