import { Hono } from 'hono'
import { z } from 'zod'
import type { JsonBody, StoredDocument } from '@parley/postgres'
import { type AgentContent, type BranchBody, type BranchTip, saveVersion } from '../agents/agent-document.ts'
import type { StoredAgent } from '../agents/agent-store.ts'
import { createId, toUnixSeconds } from '../documents.ts'
import { getAgent } from './agents.ts'
import { readBody } from './read-request.ts'
import { createNotFoundInAgentRefusal } from './refusal.ts'
import { ACCESS_INFO, type RestEnv, type RestServices } from './rest-env.ts'

/** Branches of an agent. Merging and rebasing are not supported. */
export const branchRoutes = ({ agents, store: { documents } }: RestServices) => {
  const listVersions = async (agentId: string, branchId: string) => {
    const { items } = await documents.list('agent_version', { limit: 100, parentId: agentId })
    return items.filter(({ body }) => body['branch_id'] === branchId)
  }

  const getBranch = async (agentId: string, branchId: string) => {
    const branch = await documents.get('agent_branch', branchId)
    if (branch?.parentId === agentId) return branch
    throw createNotFoundInAgentRefusal('branch', agentId, branchId)
  }

  const describeBranch = async (agentId: string, branchId: string) => {
    const agent = await getAgent(agents, agentId)
    const summary =
      branchId === agent.mainBranchId
        ? toMainBranchSummary(agent)
        : toBranchSummary(await getBranch(agentId, branchId))
    const versions = await listVersions(agentId, branchId)
    return { ...summary, most_recent_versions: versions.map(toVersionResponse) }
  }

  return new Hono<RestEnv>()
    .get('/:agentId/branches', async (c) => {
      const agent = await getAgent(agents, c.req.param('agentId'))
      const { items } = await documents.list('agent_branch', { limit: 100, parentId: agent.agentId })
      const visible = items.filter(
        ({ body }) => c.req.query('include_archived') === 'true' || body['is_archived'] !== true,
      )
      const results = [toMainBranchSummary(agent), ...visible.map(toBranchSummary)]
      return c.json({ meta: { total: results.length, page: 1, page_size: results.length }, results })
    })
    .post('/:agentId/branches', async (c) => {
      const agentId = c.req.param('agentId')
      await getAgent(agents, agentId)
      const { parent_version_id, name, description } = await readBody(c, NewBranch)
      const parent = await agents.find(agentId, { versionId: parent_version_id })
      if (!parent) throw createNotFoundInAgentRefusal('version', agentId, parent_version_id)
      const tip: BranchTip = {
        version_id: createId('agtvrsn'),
        number: 1,
        previous_id: parent_version_id,
        description: '',
      }
      const branch: BranchBody = {
        name,
        description,
        is_archived: false,
        parent_branch_id: parent.branchId,
        tip,
        content: toAgentContent(parent),
      }
      const branchId = createId('agtbrch')
      await documents.put('agent_branch', {
        id: branchId,
        parentId: agentId,
        body: branch as unknown as JsonBody,
      })
      await saveVersion(documents, { agentId, branchId, tip, content: branch.content })
      return c.json({ created_branch_id: branchId, created_version_id: tip.version_id })
    })
    .get('/:agentId/branches/:branchId', async (c) => {
      return c.json(await describeBranch(c.req.param('agentId'), c.req.param('branchId')))
    })
    .patch('/:agentId/branches/:branchId', async (c) => {
      const { agentId, branchId } = c.req.param()
      await getBranch(agentId, branchId)
      const { name, is_archived } = await readBody(c, BranchChange)
      await documents.change('agent_branch', branchId, (body) => ({
        ...body,
        ...(name != null && { name }),
        ...(is_archived != null && { is_archived }),
      }))
      return c.json(await describeBranch(agentId, branchId))
    })
    .get('/:agentId/versions/:versionId', async (c) => {
      const { agentId, versionId } = c.req.param()
      await getAgent(agents, agentId)
      const version = await documents.get('agent_version', versionId)
      if (version?.parentId === agentId) return c.json(toVersionResponse(version))
      throw createNotFoundInAgentRefusal('version', agentId, versionId)
    })
}

const NewBranch = z.object({
  parent_version_id: z.string(),
  name: z.string().max(140),
  description: z.string().max(4_096),
})

const BranchChange = z.object({
  name: z.string().min(1).max(140).nullish(),
  is_archived: z.boolean().nullish(),
})

const toAgentContent = (agent: StoredAgent): AgentContent => ({
  name: agent.name,
  tags: [...agent.tags],
  conversation_config: agent.conversation_config,
  platform_settings: agent.platform_settings,
})

const toMainBranchSummary = (agent: StoredAgent) => ({
  id: agent.mainBranchId,
  name: 'Main',
  agent_id: agent.agentId,
  description: '',
  created_at: agent.createdAtUnixSecs,
  last_committed_at: agent.updatedAtUnixSecs,
  is_archived: false,
  access_info: ACCESS_INFO,
  current_live_percentage: 100,
})

function toBranchSummary({ id, parentId = '', body, createdAt, updatedAt }: StoredDocument) {
  const { name, description, is_archived, parent_branch_id } = body as unknown as BranchBody
  return {
    id,
    name,
    agent_id: parentId,
    description,
    created_at: toUnixSeconds(createdAt),
    last_committed_at: toUnixSeconds(updatedAt),
    is_archived,
    access_info: ACCESS_INFO,
    current_live_percentage: 0,
    parent_branch_id,
  }
}

function toVersionResponse({ id, parentId = '', body, createdAt }: StoredDocument) {
  const { branch_id, tip } = body as unknown as { readonly branch_id: string; readonly tip: BranchTip }
  return {
    id,
    agent_id: parentId,
    branch_id,
    version_description: tip.description,
    seq_no_in_branch: tip.number,
    time_committed_secs: toUnixSeconds(createdAt),
    parents: { in_branch_parent_id: tip.previous_id },
    access_info: ACCESS_INFO,
  }
}
