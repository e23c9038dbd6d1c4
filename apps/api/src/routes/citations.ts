import { createRoute } from '@hono/zod-openapi'
import { CitationPage, ReadCitations, SessionRef } from '@parley/contracts'
import type { Api } from '../api.ts'
import type { Services } from '../services.ts'
import { citationsOf } from '../voice/citations-of.ts'
import { json, problems } from './describe.ts'
import { sessionFor } from './session-for.ts'

/** What the answers of a session were drawn from. */
export function citationRoutes(app: Api, services: Services) {
  app.openapi(CITATIONS, async (c) => {
    const { sessionId } = c.req.valid('param')
    const { after, limit } = c.req.valid('query')
    const caller = c.get('caller')
    const { withReflection } = await sessionFor(caller, sessionId, 'read', services)
    const range = { after, limit: limit + 1 }
    const found = withReflection ? await citationsOf(withReflection, caller, range, services) : []
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return c.json({ items, ...(last && found.length > limit && { nextCursor: String(last.number) }) }, 200)
  })
}

const CITATIONS = createRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/citations',
  summary: 'What was looked up in a session with a reflection, in order',
  description:
    'Each with the evidence that it found, as far as that still stands and may still be told to you. ' +
    'Off the record nothing of it is kept.',
  request: { params: SessionRef, query: ReadCitations },
  responses: { 200: json(CitationPage, 'A page of citations'), ...problems },
})
