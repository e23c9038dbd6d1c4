import type { Api } from '../api-env.ts'
import type { Services } from '../services.ts'
import { type Handlers, omitUndefined } from './register-endpoints.ts'
import { buildOpenApiDocument } from './openapi-document.ts'

/** The server itself: its health, metrics, audit log and API description. */
export function createServerHandlers(app: Api, { ready, metrics, instanceId, health, audit }: Services) {
  // Built at the first request, when all routes are registered.
  let document: { readonly openapi: string } | undefined
  return {
    getLiveness: (c) => c.json({ status: 'ok' as const, instanceId }, 200),

    getReadiness: async (c) => {
      await ready()
      return c.json({ status: 'ready' as const }, 200)
    },

    getMetrics: async (c) =>
      c.text(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType }),

    getOpenApi: (c) => c.json((document ??= buildOpenApiDocument(app)), 200),

    getHealth: async (c) => c.json(await health.read(c.req.valid('query').range, c.get('caller')), 200),

    probeProvider: async (c) => c.json(await health.probe(c.req.valid('json').provider), 200),

    retryJob: async (c) => c.json(await health.retryJob(c.req.valid('param').jobId, c.get('caller')), 202),

    listAuditEntries: async (c) => {
      const page = await audit.read(omitUndefined(c.req.valid('query')))
      return c.json({ ...page, items: [...page.items] }, 200)
    },
  } satisfies Partial<Handlers>
}
