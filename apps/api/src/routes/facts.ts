import type { Handlers } from './handlers.ts'
import { PlatformError } from '@parley/contracts'
import { readerFor } from '../auth/within-reach.ts'
import type { Services } from '../services.ts'
import { present } from './present.ts'
import { maySeeFact, seenBy, withoutConfided } from './without-confided.ts'

/** What was learned, to look through, and how one of it came about; and what a person says is wrong. */
export function factHandlers({ reflections }: Services) {
  return {
    listFacts: async (c) => {
      const { after, order, cursor, ...asked } = present(c.req.valid('query'))
      const wanted = { ...asked, ...seenBy(c) }
      const { id } = c.get('reflection')
      const isPart = after !== undefined || order !== undefined
      if (isPart && cursor !== undefined) {
        throw new PlatformError('validation', {
          message:
            'cursor: goes on with the list as it was learned. With an order, say by `after` how many to leave out.',
        })
      }
      const reader = readerFor(c, reflections)
      const page = isPart
        ? await reader.factsFrom(id, { ...wanted, after: after ?? 0, ...(order && { order }) })
        : await reader.facts(id, { ...wanted, ...(cursor !== undefined && { cursor }) })
      const items = page.items.map((fact) => withoutConfided(fact, c.get('memberRole')))
      return c.json({ ...page, items }, 200)
    },

    getFactHistory: async (c) => {
      const { factId } = c.req.valid('param')
      const role = c.get('memberRole')
      const history = await readerFor(c, reflections).factHistory(c.get('reflection').id, factId)
      const items = history.filter((fact) => maySeeFact(fact, role))
      if (items.length === 0) {
        throw new PlatformError('not_found', { message: `There is no fact ${factId} in this reflection.` })
      }
      return c.json({ items: items.map((fact) => withoutConfided(fact, role)) }, 200)
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
