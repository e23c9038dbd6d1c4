import type { Handlers } from './handlers.ts'
import type { Services } from '../services.ts'

/** The health of the server, and repairs by an admin. */
export function healthHandlers({ health }: Services) {
  return {
    getHealth: async (c) => c.json(await health.read(c.req.valid('query').range, c.get('caller')), 200),

    probeProvider: async (c) => c.json(await health.probe(c.req.valid('json').provider), 200),

    retryJob: async (c) => c.json(await health.retryJob(c.req.valid('param').jobId, c.get('caller')), 202),
  } satisfies Partial<Handlers>
}
