import { Hono } from 'hono'
import { z } from 'zod'
import type { JsonBody, StoredDocument } from '@parley/postgres'
import { type AgentTestRun, toInvocation } from '../agent-tests/invocation.ts'
import { AgentTestConfig } from '../agents/agent-test.ts'
import { createId, toUnixSeconds } from '../documents.ts'
import { VendorPageQuery, pagingFields, toPage, readBody, readQuery } from './read-request.ts'
import { createNotFoundRefusal } from './refusal.ts'
import { ACCESS_INFO, type RestEnv, type RestServices } from './rest-env.ts'

/** Agent tests. Folders are not supported. */
export const testRoutes = ({ store: { documents } }: RestServices) =>
  new Hono<RestEnv>()
    .post('/create', async (c) => {
      const test = await readBody(c, AgentTestConfig)
      const { id } = await documents.put('test', { id: createId('test'), body: test as unknown as JsonBody })
      return c.json({ id })
    })
    .get('/', async (c) => {
      const { types, ...query } = readQuery(c, TestListQuery)
      const page = await documents.list('test', {
        ...toPage(query),
        ...(types && { contains: { type: types } }),
      })
      return c.json({ tests: page.items.map(toTestSummary), ...pagingFields(page) })
    })
    .post('/summaries', async (c) => {
      const { test_ids } = await readBody(c, z.object({ test_ids: z.array(z.string()).max(100) }))
      const found = await Promise.all(test_ids.map((id) => documents.get('test', id)))
      const summaries = found.flatMap((test) => (test ? [[test.id, toTestSummary(test)] as const] : []))
      return c.json({ tests: Object.fromEntries(summaries) })
    })
    .get('/:testId', async (c) => {
      const id = c.req.param('testId')
      const test = await documents.get('test', id)
      if (!test) throw createNotFoundRefusal('test', id)
      return c.json({ id, ...test.body })
    })
    .put('/:testId', async (c) => {
      const id = c.req.param('testId')
      const body = (await readBody(c, AgentTestConfig)) as unknown as JsonBody
      if (!(await documents.change('test', id, () => body))) throw createNotFoundRefusal('test', id)
      return c.json({ id, ...body })
    })
    .delete('/:testId', async (c) => {
      const id = c.req.param('testId')
      if (!(await documents.remove('test', id))) throw createNotFoundRefusal('test', id)
      return c.json({})
    })

const TestListQuery = VendorPageQuery.extend({ types: z.enum(['llm', 'tool', 'simulation']).optional() })

const toTestSummary = ({ id, body, createdAt, updatedAt }: StoredDocument) => ({
  id,
  name: body['name'],
  type: body['type'],
  created_at_unix_secs: toUnixSeconds(createdAt),
  last_updated_at_unix_secs: toUnixSeconds(updatedAt),
  access_info: ACCESS_INFO,
})

/** Starts test runs and returns their results. */
export const testRunRoutes = ({ agents, runTests, store: { documents } }: RestServices) => {
  const findMissing = async (ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => documents.get('test', id)))
    return ids.filter((_, at) => !found[at])
  }

  return new Hono<RestEnv>()
    .post('/agents/:agentId/run-tests', async (c) => {
      const { branch_id, ...request } = await readBody(c, RunTestsBody)
      const agentId = c.req.param('agentId')
      const agent = await agents.find(agentId, { branchId: branch_id ?? undefined })
      if (!agent) throw createNotFoundRefusal('agent', agentId)
      const [missing] = await findMissing(request.tests.map(({ test_id }) => test_id))
      if (missing !== undefined) throw createNotFoundRefusal('test', missing)
      return c.json(await runTests(agent, request))
    })
    .get('/test-invocations', async (c) => {
      const { agent_id, ...query } = readQuery(c, VendorPageQuery.extend({ agent_id: z.string().optional() }))
      const page = await documents.list('test_invocation', {
        ...toPage(query),
        ...(agent_id !== undefined && { contains: { agent_id } }),
      })
      return c.json({ results: page.items.map(toInvocationSummary), ...pagingFields(page) })
    })
    .get('/test-invocations/:id', async (c) => {
      const id = c.req.param('id')
      const found = await documents.get('test_invocation', id)
      if (found) return c.json({ ...found.body, id })
      throw createNotFoundRefusal('test_invocation', id)
    })
}

function toInvocationSummary({ id, body, createdAt }: StoredDocument) {
  const { test_runs: runs, ...invocation } = toInvocation(body)
  const countRuns = (status: AgentTestRun['status']) => runs.filter((run) => run.status === status).length
  const names = [...new Set(runs.map(({ test_name }) => test_name))]
  return {
    ...invocation,
    id,
    created_at_unix_secs: toUnixSeconds(createdAt),
    test_run_count: runs.length,
    passed_count: countRuns('passed'),
    failed_count: countRuns('failed'),
    pending_count: countRuns('pending'),
    cancelled_count: 0,
    title: names.length === 1 ? names[0] : `${names.length} tests`,
  }
}

const RunTestsBody = z.object({
  tests: z
    .array(z.object({ test_id: z.string(), workflow_node_id: z.string().nullish() }))
    .min(1)
    .max(5_000),
  agent_config_override: z.looseObject({}).nullish(),
  branch_id: z.string().nullish(),
  repeat_count: z.int().min(1).max(50).default(1),
})
