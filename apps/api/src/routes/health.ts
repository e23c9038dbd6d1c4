import { createRoute } from '@hono/zod-openapi'
import { Health, JobRef, JobRetried, ProbeProvider, ProviderHealth, ReadHealth } from '@parley/contracts'
import type { Api } from '../api.ts'
import type { Services } from '../services.ts'
import { body, json, problems } from './describe.ts'

/** How the server fares, and what an admin does about it. */
export function healthRoutes(app: Api, { health }: Services) {
  app.openapi(READ, async (c) => c.json(await health.read(c.req.valid('query').range, c.get('caller')), 200))
  app.openapi(PROBE, async (c) => c.json(await health.probe(c.req.valid('json').provider), 200))
  app.openapi(RETRY, async (c) =>
    c.json(await health.retryJob(c.req.valid('param').jobId, c.get('caller')), 202),
  )
}

const READ = createRoute({
  method: 'get',
  path: '/v1/health',
  summary: 'How the server fares: providers, processes, jobs, errors, times and cost',
  description:
    'Counted by all processes on the database, for eight days. It names sessions and reflections only where you may see them, and holds nothing of what was said.',
  request: { query: ReadHealth },
  responses: { 200: json(Health, 'Its health'), ...problems },
})

const PROBE = createRoute({
  method: 'post',
  path: '/v1/health/probe',
  summary: 'Asks a provider whether it answers, by a call that costs nothing',
  request: { body: body(ProbeProvider) },
  responses: { 200: json(ProviderHealth, 'How it stands now'), ...problems },
})

const RETRY = createRoute({
  method: 'post',
  path: '/v1/health/jobs/{jobId}/retry',
  summary: 'Puts a job that failed into its queue again, once',
  request: { params: JobRef },
  responses: { 202: json(JobRetried, 'It waits in its queue'), ...problems },
})
