import type { Api } from '../api.ts'
import type { Services } from '../services.ts'

/** What those who run a server ask it. */
export function operationRoutes(app: Api, { ready, metrics, instanceId }: Services) {
  app.get('/healthz', (c) => c.json({ status: 'ok', instanceId }))
  app.get('/readyz', async (c) => {
    await ready()
    return c.json({ status: 'ready' })
  })
  app.get('/metrics', async (c) =>
    c.body(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType }),
  )
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })
  // Of all routes, which are there once somebody asks; they do not change.
  let described: ReturnType<Api['getOpenAPI31Document']> | undefined
  app.get('/v1/openapi.json', (c) => c.json((described ??= app.getOpenAPI31Document(DESCRIPTION))))
}

const DESCRIPTION = {
  openapi: '3.1.0',
  info: {
    title: 'Parley',
    version: '1',
    description:
      'Sessions with one agent: start, say, listen, resume. Errors are RFC 9457 problems with a `code`.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  security: [{ bearer: [] }],
}
