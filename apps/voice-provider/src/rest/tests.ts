import type { Body, StoredDocument } from '@parley/postgres'
import { Hono } from 'hono'
import { z } from 'zod'
import { AgentTest } from '../agents/agent-test.ts'
import { newId } from '../new-id.ts'
import { ACCESS_INFO, seconds } from './access-info.ts'
import { moreOf, pageFrom, PageQuery } from './pages.ts'
import { readBody, readQuery } from './read-request.ts'
import { Refusal } from './refusal.ts'
import type { RestEnv, RestServices } from './rest-env.ts'

/** What an agent is to be tried with. Folders are not offered. */
export const testRoutes = ({ store: { documents } }: RestServices) =>
  new Hono<RestEnv>()
    .post('/create', async (c) => {
      const test = await readBody(c, AgentTest)
      const { id } = await documents.put('test', { id: newId('test'), body: test as unknown as Body })
      return c.json({ id })
    })
    .get('/', async (c) => {
      const { types, ...query } = readQuery(c, ListQuery)
      const page = await documents.list('test', {
        ...pageFrom(query),
        ...(types && { contains: { type: types } }),
      })
      return c.json({ tests: page.items.map(summaryOf), ...moreOf(page) })
    })
    .post('/summaries', async (c) => {
      const { test_ids } = await readBody(c, z.object({ test_ids: z.array(z.string()).max(100) }))
      const found = await Promise.all(test_ids.map((id) => documents.get('test', id)))
      const summaries = found.flatMap((test) => (test ? [[test.id, summaryOf(test)] as const] : []))
      return c.json({ tests: Object.fromEntries(summaries) })
    })
    .get('/:testId', async (c) => {
      const id = c.req.param('testId')
      const test = await documents.get('test', id)
      if (!test) throw testNotFound(id)
      return c.json({ id, ...test.body })
    })
    .put('/:testId', async (c) => {
      const id = c.req.param('testId')
      const body = (await readBody(c, AgentTest)) as unknown as Body
      if (!(await documents.change('test', id, () => body))) throw testNotFound(id)
      return c.json({ id, ...body })
    })
    .delete('/:testId', async (c) => {
      const id = c.req.param('testId')
      if (!(await documents.remove('test', id))) throw testNotFound(id)
      return c.json({})
    })

const ListQuery = PageQuery.extend({ types: z.enum(['llm', 'tool', 'simulation']).optional() })

const summaryOf = ({ id, body, createdAt, updatedAt }: StoredDocument) => ({
  id,
  name: body['name'],
  type: body['type'],
  created_at_unix_secs: seconds(createdAt),
  last_updated_at_unix_secs: seconds(updatedAt),
  access_info: ACCESS_INFO,
})

const testNotFound = (id: string) =>
  new Refusal('test_not_found', `There is no test with the id ${id}.`, 'test_id')
