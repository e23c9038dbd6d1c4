import type { Handlers } from './handlers.ts'
import type { Services } from '../services.ts'

/** How the server fares, and what an admin does about it. */
export function healthHandlers({ health }: Services) {
  return {
    getHealth: async (c) => c.json(await health.read(c.req.valid('query').range, c.get('caller')), 200),

    probeProvider: async (c) => c.json(await health.probe(c.req.valid('json').provider), 200),

    retryJob: async (c) => c.json(await health.retryJob(c.req.valid('param').jobId, c.get('caller')), 202),
  } satisfies Partial<Handlers>
}
