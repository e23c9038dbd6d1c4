import { Hono } from 'hono'
import { z } from 'zod'
import type { JsonBody, StoredDocument } from '@parley/postgres'
import { ResponseMock } from '../agents/agent-test.ts'
import { mergeConfig } from '../agents/agent-store.ts'
import { ToolConfig } from '../agents/tool-document.ts'
import { findDependants, createId } from '../documents.ts'
import { VendorPageQuery, pagingFields, toPage, readBody, readQuery } from './read-request.ts'
import { RequestRefusal, UnprocessableRequest, createNotFoundRefusal } from './refusal.ts'
import { ACCESS_INFO, type RestEnv, type RestServices } from './rest-env.ts'

export const toolRoutes = ({ store: { documents } }: RestServices) =>
  new Hono<RestEnv>()
    .post('/', async (c) => {
      const tool = await readBody(c, NewTool)
      const stored = await documents.put('tool', { id: createId('tool'), body: toToolBody(tool) })
      return c.json(toToolResponse(stored))
    })
    .get('/', async (c) => {
      const { types, sort_by, ...query } = readQuery(c, ListQuery)
      const page = await documents.list('tool', {
        ...toPage(query),
        sortBy: sort_by === 'name' ? 'name' : 'created_at',
        ...(types && { contains: { tool_config: { type: types } } }),
      })
      return c.json({ tools: page.items.map(toToolResponse), ...pagingFields(page) })
    })
    .get('/:toolId', async (c) => {
      const id = c.req.param('toolId')
      const tool = await documents.get('tool', id)
      if (!tool) throw createNotFoundRefusal('tool', id)
      return c.json(toToolResponse(tool))
    })
    .patch('/:toolId', async (c) => {
      const id = c.req.param('toolId')
      const change = await readBody(c, ToolChange)
      let invalid: UnprocessableRequest | undefined
      const changed = await documents.change('tool', id, (body) => {
        const merged = mergeConfig(body, change)
        const parsed = NewTool.safeParse(merged)
        if (parsed.success) return toToolBody(parsed.data)
        invalid = UnprocessableRequest.fromIssues('body', parsed.error.issues, merged)
        return undefined
      })
      if (invalid) throw invalid
      if (!changed) throw createNotFoundRefusal('tool', id)
      return c.json(toToolResponse(changed))
    })
    .delete('/:toolId', async (c) => {
      const id = c.req.param('toolId')
      const users = await findDependants(documents, 'agent', id)
      if (users.length > 0 && c.req.query('force') !== 'true') {
        const names = users.map(({ name }) => name).join(', ')
        throw new RequestRefusal(
          'resource_in_use',
          `The tool ${id} is used by ${names}. Delete it with force=true, or take it out there first.`,
        )
      }
      if (!(await documents.remove('tool', id))) throw createNotFoundRefusal('tool', id)
      return c.json({})
    })
    .get('/:toolId/dependent-agents', async (c) => {
      const id = c.req.param('toolId')
      if (!(await documents.get('tool', id))) throw createNotFoundRefusal('tool', id)
      const agents = await findDependants(documents, 'agent', id)
      return c.json({ agents, branches: [], has_more: false, next_cursor: null })
    })

const NewTool = z.object({
  tool_config: ToolConfig,
  response_mocks: z.array(ResponseMock).nullish(),
})

const ToolChange = z.object({
  tool_config: z.looseObject({}),
  response_mocks: z.array(ResponseMock).nullish(),
})

const ListQuery = VendorPageQuery.extend({
  types: z.enum(['webhook', 'client', 'system', 'mcp']).optional(),
  sort_by: z.enum(['name', 'created_at']).nullish(),
})

/** Copies the name to the top level, where lists search for it. */
const toToolBody = ({ tool_config, response_mocks }: z.infer<typeof NewTool>) =>
  ({ name: tool_config.name, tool_config, response_mocks: response_mocks ?? null }) as unknown as JsonBody

const toToolResponse = ({ id, body }: StoredDocument) => ({
  id,
  tool_config: body['tool_config'],
  access_info: ACCESS_INFO,
  usage_stats: { total_calls: 0, avg_latency_secs: 0 },
  response_mocks: body['response_mocks'] ?? null,
})
