import { createRoute } from '@hono/zod-openapi'
import {
  CorrectionAccepted,
  FactHistory,
  FactPage,
  FactQuery,
  FactRef,
  PlatformError,
  ProposeCorrection,
  ReflectionRef,
} from '@parley/contracts'
import type { Api } from '../api.ts'
import { readerFor } from '../auth/within-reach.ts'
import type { Services } from '../services.ts'
import { storable } from '../storable.ts'
import { body, json, problems } from './describe.ts'
import { present } from './present.ts'
import { maySeeFact, seenBy, withoutConfided } from './without-confided.ts'

/** What was learned, to look through, and how one of it came about; and what a person says is wrong. */
export function factRoutes(app: Api, { reflections }: Services) {
  app.openapi(FACTS, async (c) => {
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
  })

  app.openapi(HISTORY, async (c) => {
    const { factId } = c.req.valid('param')
    const role = c.get('memberRole')
    const history = await readerFor(c, reflections).factHistory(c.get('reflection').id, factId)
    const items = history.filter((fact) => maySeeFact(fact, role))
    if (items.length === 0) {
      throw new PlatformError('not_found', { message: `There is no fact ${factId} in this reflection.` })
    }
    return c.json({ items: items.map((fact) => withoutConfided(fact, role)) }, 200)
  })

  app.openapi(CORRECT, async (c) => {
    const { personId } = c.get('caller')
    return c.json(
      await reflections.proposeCorrection(c.get('reflection').id, c.req.valid('json'), personId),
      202,
    )
  })
}

const FACTS = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/facts',
  summary: 'What was learned, with the words that bear it out',
  description:
    'As it was learned, latest first, page by page. With `order` or `after`, a part from anywhere in the list, and `count` ' +
    'says how long that is. What was said in sessions is quoted to admins.',
  request: { params: ReflectionRef, query: FactQuery },
  responses: { 200: json(FactPage, 'A page of facts'), ...problems },
})

const HISTORY = createRoute({
  method: 'get',
  path: '/v1/reflections/{reflectionId}/facts/{factId}/history',
  summary: 'A fact, what it took the place of, and what took its place',
  request: { params: FactRef },
  responses: { 200: json(FactHistory, 'The facts, the earliest first'), ...problems },
})

const CORRECT = createRoute({
  method: 'post',
  path: '/v1/reflections/{reflectionId}/corrections',
  summary: 'Say that a fact is wrong, and how it is instead',
  description:
    'The fact is named by its id, or in words. A patch is made of it in the background, under the id that is given, and ' +
    'waits for a person; where there is no such fact, it is rejected and says so.',
  request: { params: ReflectionRef, body: body(storable(ProposeCorrection)) },
  responses: { 202: json(CorrectionAccepted, 'The patch that will wait for a person'), ...problems },
})
