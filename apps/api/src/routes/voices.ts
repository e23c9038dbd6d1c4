import { createRoute } from '@hono/zod-openapi'
import { ProviderVoices } from '@parley/contracts'
import type { Api } from '../api.ts'
import type { Services } from '../services.ts'
import { json, problems } from './describe.ts'

/** The voices that a reflection may be given. */
export function voiceRoutes(app: Api, { voice }: Services) {
  app.openapi(VOICES, async (c) => {
    const items = voice ? await voice.provider.listVoices(c.req.raw.signal) : []
    return c.json({ items: [...items] }, 200)
  })
}

const VOICES = createRoute({
  method: 'get',
  path: '/v1/voices',
  summary: 'The voices of the voice provider; none where this server does not speak',
  responses: { 200: json(ProviderVoices, 'The voices'), ...problems },
})
