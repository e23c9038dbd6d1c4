import { Hono } from 'hono'
import { z } from 'zod'
import { AgentChange, NewAgent } from '../agents/agent-bodies.ts'
import type { StoredAgent } from '../agents/agents.ts'
import { ACCESS_INFO } from './access-info.ts'
import { checkReferences } from './check-references.ts'
import { moreOf, pageFrom, PageQuery } from './pages.ts'
import { readBody, readQuery } from './read-request.ts'
import { Refusal } from './refusal.ts'
import type { RestEnv, RestServices } from './rest-env.ts'
import { Unprocessable } from './unprocessable.ts'
import { widgetOf } from './widget.ts'

export const agentRoutes = ({ agents, store: { documents } }: RestServices) =>
  new Hono<RestEnv>()
    .post('/create', async (c) => {
      const body = await readBody(c, NewAgent)
      await checkReferences(body.conversation_config, documents)
      const agent = await agents.create(body)
      return c.json({
        agent_id: agent.agentId,
        main_branch_id: agent.mainBranchId,
        initial_version_id: agent.versionId,
      })
    })
    .get('/', async (c) => {
      const { archived, tags, sort_by, ...query } = readQuery(c, ListQuery)
      const contains = {
        ...(archived !== undefined && { platform_settings: { archived } }),
        ...(tags && { tags }),
      }
      const page = await agents.list({
        ...pageFrom(query),
        contains,
        sortBy: sort_by === 'name' ? 'name' : 'created_at',
      })
      return c.json({ agents: page.items.map(summaryOf), ...moreOf(page) })
    })
    .get('/summaries', async (c) => {
      const { agent_ids } = readQuery(c, z.object({ agent_ids: Names }))
      const entries = await Promise.all(
        agent_ids.map(async (id) => [id, batchEntry(id, await agents.find(id))] as const),
      )
      return c.json(Object.fromEntries(entries))
    })
    .get('/:agentId', async (c) => {
      const id = c.req.param('agentId')
      const { version_id, branch_id } = readQuery(c, PlaceQuery)
      const agent = await agents.find(id, { versionId: version_id, branchId: branch_id })
      if (agent) return c.json(answerOf(agent))
      if (!(await agents.find(id))) throw agentNotFound(id)
      if (version_id !== undefined)
        throw new Refusal('version_not_found', `The agent ${id} has no version ${version_id}.`)
      throw new Refusal('branch_not_found', `The agent ${id} has no branch ${branch_id}.`)
    })
    .patch('/:agentId', async (c) => {
      const id = c.req.param('agentId')
      const { branch_id } = readQuery(c, PlaceQuery)
      const change = await readBody(c, AgentChange)
      await checkReferences(change.conversation_config, documents)
      const outcome = await agents.change(id, change, branch_id)
      if (outcome.kind === 'changed') return c.json(answerOf(outcome.agent))
      if (outcome.kind === 'invalid') throw Unprocessable.fromIssues('body', outcome.issues, outcome.merged)
      if (!(await agents.find(id))) throw agentNotFound(id)
      throw new Refusal('branch_not_found', `The agent ${id} has no branch ${branch_id}.`)
    })
    .delete('/:agentId', async (c) => {
      const id = c.req.param('agentId')
      if (!(await agents.remove(id))) throw agentNotFound(id)
      return c.json({})
    })
    .post('/:agentId/duplicate', async (c) => {
      const agent = await agentOf(agents, c.req.param('agentId'))
      const { name } = await readBody(c, z.object({ name: z.string().nullish() }))
      const { conversation_config, platform_settings, tags } = agent
      const copy = await agents.create({
        name: name ?? `${agent.name} (copy)`,
        tags: [...tags],
        conversation_config,
        platform_settings,
      })
      return c.json({ agent_id: copy.agentId })
    })
    .get('/:agentId/link', async (c) => {
      const { agentId, platform_settings } = await agentOf(agents, c.req.param('agentId'))
      const shareable = platform_settings.auth.shareable_token
      const token = shareable
        ? { agent_id: agentId, conversation_token: shareable, purpose: 'shareable_link' }
        : null
      return c.json({ agent_id: agentId, token })
    })
    .get('/:agentId/widget', async (c) => {
      const agent = await agentOf(agents, c.req.param('agentId'))
      return c.json({ agent_id: agent.agentId, widget_config: widgetOf(agent) })
    })

export const agentNotFound = (id: string) =>
  new Refusal('agent_not_found', `There is no agent with the id ${id}.`, 'agent_id')

export async function agentOf(agents: RestServices['agents'], id: string): Promise<StoredAgent> {
  const agent = await agents.find(id)
  if (!agent) throw agentNotFound(id)
  return agent
}

const Names = z.union([z.array(z.string()), z.string().transform((name) => [name])])
const Flag = z.enum(['true', 'false']).transform((flag) => flag === 'true')

const PlaceQuery = z.object({ version_id: z.string().optional(), branch_id: z.string().optional() })

const ListQuery = PageQuery.extend({
  archived: Flag.optional(),
  tags: Names.optional(),
  sort_by: z.enum(['name', 'created_at', 'call_count_7d', 'last_call_time_unix_secs']).nullish(),
})

const answerOf = (agent: StoredAgent) => ({
  agent_id: agent.agentId,
  name: agent.name,
  conversation_config: agent.conversation_config,
  metadata: {
    created_at_unix_secs: agent.createdAtUnixSecs,
    updated_at_unix_secs: agent.updatedAtUnixSecs,
  },
  platform_settings: agent.platform_settings,
  phone_numbers: [],
  whatsapp_accounts: [],
  ...(agent.workflow !== undefined && { workflow: agent.workflow }),
  access_info: ACCESS_INFO,
  tags: agent.tags,
  version_id: agent.versionId,
  branch_id: agent.branchId,
  main_branch_id: agent.mainBranchId,
})

const summaryOf = (agent: StoredAgent) => ({
  agent_id: agent.agentId,
  name: agent.name,
  voice_id: agent.conversation_config.tts.voice_id,
  tags: agent.tags,
  created_at_unix_secs: agent.createdAtUnixSecs,
  access_info: ACCESS_INFO,
  last_call_time_unix_secs: null,
  archived: agent.platform_settings.archived,
})

const batchEntry = (id: string, agent: StoredAgent | undefined) =>
  agent
    ? { status: 'success', data: summaryOf(agent) }
    : {
        status: 'failure',
        error_code: 404,
        error_status: 'agent_not_found',
        error_message: agentNotFound(id).message,
      }
