import { createRoute } from '@hono/zod-openapi'
import { Me, MySettings } from '@parley/contracts'
import type { Api } from '../api.ts'
import { meOf } from '../auth/me-of.ts'
import type { Services } from '../services.ts'
import { body, json, problems } from './describe.ts'

export function meRoutes(app: Api, services: Services) {
  const { personSettings } = services
  app.openapi(WHO_AM_I, (c) => c.json(meOf(c.get('caller'), services), 200))
  app.openapi(READ_SETTINGS, async (c) => c.json(await personSettings.read(c.get('caller').personId), 200))
  app.openapi(WRITE_SETTINGS, async (c) => {
    const settings = c.req.valid('json')
    await personSettings.write(c.get('caller').personId, settings)
    return c.json(settings, 200)
  })
}

const WHO_AM_I = createRoute({
  method: 'get',
  path: '/v1/me',
  summary: 'Who the token speaks for',
  responses: { 200: json(Me, 'The person and their role'), ...problems },
})

const READ_SETTINGS = createRoute({
  method: 'get',
  path: '/v1/me/settings',
  summary: 'What the console remembers of you',
  responses: { 200: json(MySettings, 'Your settings'), ...problems },
})

const WRITE_SETTINGS = createRoute({
  method: 'put',
  path: '/v1/me/settings',
  summary: 'Has the console remember something of you',
  request: { body: body(MySettings) },
  responses: { 200: json(MySettings, 'Your settings now'), ...problems },
})
