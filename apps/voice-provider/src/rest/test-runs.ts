import { Hono } from 'hono'
import { z } from 'zod'
import type { StoredDocument } from '@parley/postgres'
import { type TestRun, invocationOf } from '../agent-tests/invocation.ts'
import { agentNotFound } from './agents.ts'
import { PageQuery, moreOf, pageFrom, readBody, readQuery } from './read-request.ts'
import { Refusal } from './refusal.ts'
import { type RestEnv, type RestServices, seconds } from './rest-env.ts'

/** Tests are run by `runTests`; what came of them is read here. */
export const testRunRoutes = ({ agents, runTests, store: { documents } }: RestServices) => {
  const unknownOf = async (ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => documents.get('test', id)))
    return ids.filter((_, at) => !found[at])
  }

  return new Hono<RestEnv>()
    .post('/agents/:agentId/run-tests', async (c) => {
      const { branch_id, ...request } = await readBody(c, RunTestsBody)
      const agentId = c.req.param('agentId')
      const agent = await agents.find(agentId, { branchId: branch_id ?? undefined })
      if (!agent) throw agentNotFound(agentId)
      const [missing] = await unknownOf(request.tests.map(({ test_id }) => test_id))
      if (missing !== undefined)
        throw new Refusal('test_not_found', `There is no test with the id ${missing}.`)
      return c.json(await runTests(agent, request))
    })
    .get('/test-invocations', async (c) => {
      const { agent_id, ...query } = readQuery(c, PageQuery.extend({ agent_id: z.string().optional() }))
      const page = await documents.list('test_invocation', {
        ...pageFrom(query),
        ...(agent_id !== undefined && { contains: { agent_id } }),
      })
      return c.json({ results: page.items.map(summaryOf), ...moreOf(page) })
    })
    .get('/test-invocations/:id', async (c) => {
      const id = c.req.param('id')
      const found = await documents.get('test_invocation', id)
      if (found) return c.json({ ...found.body, id })
      throw new Refusal('test_invocation_not_found', `There is no test invocation with the id ${id}.`)
    })
}

function summaryOf({ id, body, createdAt }: StoredDocument) {
  const { test_runs: runs, ...invocation } = invocationOf(body)
  const countOf = (status: TestRun['status']) => runs.filter((run) => run.status === status).length
  const names = [...new Set(runs.map(({ test_name }) => test_name))]
  return {
    ...invocation,
    id,
    created_at_unix_secs: seconds(createdAt),
    test_run_count: runs.length,
    passed_count: countOf('passed'),
    failed_count: countOf('failed'),
    pending_count: countOf('pending'),
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
