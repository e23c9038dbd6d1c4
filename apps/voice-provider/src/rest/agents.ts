import { Hono } from 'hono'
import { z } from 'zod'
import type { ProviderStore } from '@parley/postgres'
import { AgentChange, type AgentDocument, NewAgent } from '../agents/agent-document.ts'
import type { StoredAgent } from '../agents/agent-store.ts'
import { VendorPageQuery, pagingFields, toPage, readBody, readQuery } from './read-request.ts'
import {
  type FieldError,
  RequestRefusal,
  UnprocessableRequest,
  createNotFoundRefusal,
  createNotFoundInAgentRefusal,
} from './refusal.ts'
import { ACCESS_INFO, type RestEnv, type RestServices } from './rest-env.ts'

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
        ...toPage(query),
        contains,
        sortBy: sort_by === 'name' ? 'name' : 'created_at',
      })
      return c.json({ agents: page.items.map(toAgentSummary), ...pagingFields(page) })
    })
    .get('/summaries', async (c) => {
      const { agent_ids } = readQuery(c, z.object({ agent_ids: Names }))
      const entries = await Promise.all(
        agent_ids.map(async (id) => [id, toBatchEntry(id, await agents.find(id))] as const),
      )
      return c.json(Object.fromEntries(entries))
    })
    .get('/:agentId', async (c) => {
      const id = c.req.param('agentId')
      const { version_id, branch_id } = readQuery(c, VersionQuery)
      const agent = await agents.find(id, { versionId: version_id, branchId: branch_id })
      if (agent) return c.json(toAgentResponse(agent))
      if (!(await agents.find(id))) throw createNotFoundRefusal('agent', id)
      throw version_id === undefined
        ? createNotFoundInAgentRefusal('branch', id, branch_id)
        : createNotFoundInAgentRefusal('version', id, version_id)
    })
    .patch('/:agentId', async (c) => {
      const id = c.req.param('agentId')
      const { branch_id } = readQuery(c, VersionQuery)
      const change = await readBody(c, AgentChange)
      await checkReferences(change.conversation_config, documents)
      const outcome = await agents.change(id, change, branch_id)
      if (outcome.kind === 'changed') return c.json(toAgentResponse(outcome.agent))
      if (outcome.kind === 'invalid')
        throw UnprocessableRequest.fromIssues('body', outcome.issues, outcome.merged)
      if (!(await agents.find(id))) throw createNotFoundRefusal('agent', id)
      throw createNotFoundInAgentRefusal('branch', id, branch_id)
    })
    .delete('/:agentId', async (c) => {
      const id = c.req.param('agentId')
      if (!(await agents.remove(id))) throw createNotFoundRefusal('agent', id)
      return c.json({})
    })
    .post('/:agentId/duplicate', async (c) => {
      const agent = await getAgent(agents, c.req.param('agentId'))
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
      const { agentId, platform_settings } = await getAgent(agents, c.req.param('agentId'))
      const shareable = platform_settings.auth.shareable_token
      const token = shareable
        ? { agent_id: agentId, conversation_token: shareable, purpose: 'shareable_link' }
        : null
      return c.json({ agent_id: agentId, token })
    })
    .get('/:agentId/widget', async (c) => {
      const agent = await getAgent(agents, c.req.param('agentId'))
      return c.json({ agent_id: agent.agentId, widget_config: toWidget(agent) })
    })

export async function getAgent(agents: RestServices['agents'], id: string): Promise<StoredAgent> {
  const agent = await agents.find(id)
  if (!agent) throw createNotFoundRefusal('agent', id)
  return agent
}

const Names = z.union([z.array(z.string()), z.string().transform((name) => [name])])
const Flag = z.enum(['true', 'false']).transform((flag) => flag === 'true')

const VersionQuery = z.object({ version_id: z.string().optional(), branch_id: z.string().optional() })

const ListQuery = VendorPageQuery.extend({
  archived: Flag.optional(),
  tags: Names.optional(),
  sort_by: z.enum(['name', 'created_at', 'call_count_7d', 'last_call_time_unix_secs']).nullish(),
})

const toAgentResponse = (agent: StoredAgent) => ({
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

const toAgentSummary = (agent: StoredAgent) => ({
  agent_id: agent.agentId,
  name: agent.name,
  voice_id: agent.conversation_config.tts.voice_id,
  tags: agent.tags,
  created_at_unix_secs: agent.createdAtUnixSecs,
  access_info: ACCESS_INFO,
  last_call_time_unix_secs: null,
  archived: agent.platform_settings.archived,
})

const toBatchEntry = (id: string, agent: StoredAgent | undefined) =>
  agent
    ? { status: 'success', data: toAgentSummary(agent) }
    : {
        status: 'failure',
        error_code: 404,
        error_status: 'agent_not_found',
        error_message: createNotFoundRefusal('agent', id).message,
      }

const CIRCLE = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1" fill="grey"/></svg>',
)}`

/** Default look of a widget. */
const DEFAULT_WIDGET = {
  variant: 'full',
  placement: 'bottom-right',
  expandable: 'never',
  // A widget needs an avatar; the vendor's orb would load an image from the vendor.
  avatar: { type: 'url', custom_url: CIRCLE },
  feedback_mode: 'none',
  bg_color: '#ffffff',
  text_color: '#000000',
  btn_color: '#000000',
  btn_text_color: '#ffffff',
  border_color: '#e1e1e1',
  focus_color: '#000000',
  shareable_page_show_terms: true,
  show_avatar_when_collapsed: false,
  disable_banner: false,
  mic_muting_enabled: true,
  transcript_enabled: true,
  text_input_enabled: true,
  default_expanded: false,
  always_expanded: false,
  text_contents: {},
  styles: {},
  language_presets: {},
  supported_language_overrides: [],
} as const

/** Voice uses the WebSocket; WebRTC is not supported. */
function toWidget({ conversation_config, platform_settings }: AgentDocument) {
  const { agent, conversation } = conversation_config
  const own = platform_settings['widget']
  return {
    ...DEFAULT_WIDGET,
    ...(typeof own === 'object' && own !== null && own),
    language: agent.language,
    text_only: conversation.text_only,
    supports_text_only: true,
    first_message: agent.first_message,
    use_rtc: false,
  }
}

/** Checks that the tools exist and that the custom LLM's URL is valid. */
async function checkReferences(
  config: unknown,
  documents: Pick<ProviderStore['documents'], 'get'>,
): Promise<void> {
  const prompt = References.safeParse(config).data?.agent?.prompt
  if (!prompt) return
  const fieldErrors = [
    ...findUrlErrors(prompt.custom_llm?.url),
    ...findKnowledgeErrors(prompt.knowledge_base ?? []),
  ]
  if (fieldErrors.length > 0) throw new UnprocessableRequest(fieldErrors)
  const ids = prompt.tool_ids ?? []
  const found = await Promise.all(ids.map((id) => documents.get('tool', id)))
  const missing = ids.find((_, index) => !found[index])
  if (missing !== undefined)
    throw new RequestRefusal(
      'tool_not_found',
      `There is no tool with the id ${missing}. Create it first, or remove it from tool_ids.`,
      'tool_ids',
    )
}

/** The full schema reports malformed configurations. */
const References = z.object({
  agent: z
    .object({
      prompt: z
        .object({
          tool_ids: z.array(z.string()).nullish(),
          knowledge_base: z.array(z.unknown()).nullish(),
          custom_llm: z.object({ url: z.string().optional() }).nullish(),
        })
        .nullish(),
    })
    .nullish(),
})

const PROMPT = ['body', 'conversation_config', 'agent', 'prompt']

function findUrlErrors(url: string | undefined): readonly FieldError[] {
  if (url === undefined || /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return []
  const msg = 'The custom LLM needs a full URL that starts with http:// or https://'
  return [{ type: 'value_error', loc: [...PROMPT, 'custom_llm', 'url'], msg, input: url }]
}

const findKnowledgeErrors = (knowledge: readonly unknown[]): readonly FieldError[] =>
  knowledge.map((input, index) => ({
    type: 'value_error',
    loc: [...PROMPT, 'knowledge_base', index],
    msg: 'There is no such document: knowledge bases are not supported',
    input,
  }))
