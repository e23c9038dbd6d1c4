import { createRoute } from '@hono/zod-openapi'
import { Me } from '@parley/contracts'
import type { Api } from '../api.ts'
import { json, problems } from './describe.ts'

export function meRoutes(app: Api) {
  app.openapi(WHO_AM_I, (c) => {
    const { personId, role, label } = c.get('caller')
    return c.json({ personId, role, label }, 200)
  })
}

const WHO_AM_I = createRoute({
  method: 'get',
  path: '/v1/me',
  summary: 'Who the token speaks for',
  responses: { 200: json(Me, 'The person and their role'), ...problems },
})
