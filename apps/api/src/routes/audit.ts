import { createRoute } from '@hono/zod-openapi'
import { AuditPage, PageQuery } from '@parley/contracts'
import type { Api } from '../api.ts'
import type { Services } from '../services.ts'
import { json, problems } from './describe.ts'
import { present } from './present.ts'

/** What was done on the server as a whole. */
export function auditRoutes(app: Api, { audit }: Services) {
  app.openapi(READ, async (c) => {
    const page = await audit.read(present(c.req.valid('query')))
    return c.json({ ...page, items: [...page.items] }, 200)
  })
}

const READ = createRoute({
  method: 'get',
  path: '/v1/audit',
  summary: 'What was done on this server, and by whom; latest first',
  description: 'To sessions, tokens and reflections, those that are gone too.',
  request: { query: PageQuery },
  responses: { 200: json(AuditPage, 'A page of what was done'), ...problems },
})
