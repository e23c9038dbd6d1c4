import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { z } from 'zod'
import { PlatformError } from '@parley/contracts'
import type { Body, StoredDocument } from '@parley/postgres'
import { AgentTest } from '../agents/agent-test.ts'
import { InitiationWebhook, Webhooks } from '../agents/platform-settings.ts'
import { dependantsOf, newId } from '../documents.ts'
import { FaultRules } from '../faults.ts'
import { accountRoutes, voiceRoutes } from './account.ts'
import { agentOf, agentRoutes } from './agents.ts'
import { branchRoutes } from './branches.ts'
import { conversationRoutes } from './conversations.ts'
import {
  WITHOUT_KEY,
  authenticate,
  fewAtOnce,
  knownHosts,
  misbehave,
  requestIds,
  storableIds,
} from './edge.ts'
import { environmentVariableRoutes } from './environment-variables.ts'
import { PageQuery, moreOf, pageFrom, readBody, readQuery } from './read-request.ts'
import { Refusal, Unprocessable } from './refusal.ts'
import { ACCESS_INFO, type RestEnv, type RestServices, seconds } from './rest-env.ts'
import { testRunRoutes } from './test-runs.ts'
import { toolRoutes } from './tools.ts'
import { webhookRoutes } from './webhooks.ts'

/** A file of a conversation, the largest thing that is sent here. */
const MAX_BYTES = 10 * 1024 * 1024

/** The vendor's REST API, as far as its clients use it. */
export function createRest(services: RestServices): Hono<RestEnv> {
  const app = new Hono<RestEnv>()
  app.use(requestIds(services), knownHosts(services))
  // Pages of any origin may call what needs no key, as with the vendor.
  const open = cors({ origin: '*', allowHeaders: ['*'] })
  app.use((c, next) => (WITHOUT_KEY.some(({ path }) => path.test(c.req.path)) ? open(c, next) : next()))
  app.use(authenticate(services.apiKey))
  app.use(storableIds)
  app.route('/parley/faults', faultRoutes(services))
  app.use(misbehave(services), fewAtOnce(), bodyLimit({ maxSize: MAX_BYTES, onError: tooLarge }))

  app.route('/v1/convai/agents', agentRoutes(services))
  app.route('/v1/convai/agents', branchRoutes(services))
  app.route('/v1/convai/tools', toolRoutes(services))
  app.route('/v1/convai/secrets', secretRoutes(services))
  app.route('/v1/convai/settings', settingRoutes(services))
  app.route('/v1/convai/environment-variables', environmentVariableRoutes(services))
  app.route('/v1/convai/conversation', signedUrlRoutes(services))
  app.route('/v1/convai/conversations', conversationRoutes(services))
  app.route('/v1/convai/agent-testing', testRoutes(services))
  app.route('/v1/convai', testRunRoutes(services))
  app.route('/v1/workspace/webhooks', webhookRoutes(services))
  app.route('/v1/user', accountRoutes())
  app.route('/', voiceRoutes(services))

  app.notFound((c) => {
    const refusal = new Refusal(
      'not_found',
      `${c.req.method} ${c.req.path} is not offered by this local provider.`,
    )
    return c.json(refusal.bodyFor(c.get('requestId')), refusal.status)
  })
  app.onError((failure, c) => {
    if (failure instanceof Unprocessable) return c.json({ detail: failure.flaws }, 422)
    const refusal = failure instanceof Refusal ? failure : refusalOf(failure)
    const requestId = c.get('requestId')
    if (c.req.raw.signal.aborted) services.logger.debug({ err: failure, requestId }, 'call dropped')
    else if (refusal.status >= 500) services.logger.error({ err: failure, requestId }, 'call failed')
    return c.json(refusal.bodyFor(requestId), refusal.status)
  })
  return app
}

function tooLarge(): never {
  throw new Refusal('payload_too_large', `A body has at most ${MAX_BYTES} bytes.`)
}

function refusalOf(failure: unknown): Refusal {
  if (failure instanceof PlatformError && failure.code === 'validation')
    return new Refusal('invalid_cursor', failure.detail.message ?? 'The request cannot be kept as it is.')
  if (failure instanceof PlatformError && failure.code === 'database_unavailable')
    return new Refusal('database_unavailable', 'The database does not answer. Try again in a moment.')
  return new Refusal('internal_server_error', 'Something went wrong here; the log of the provider says more.')
}

/** The switch to misbehave, which is ours and no vendor's. */
const faultRoutes = ({ faults }: RestServices) =>
  new Hono<RestEnv>()
    .get('/', (c) => c.json({ rules: faults.list() }))
    .put('/', async (c) => {
      faults.set((await readBody(c, FaultRules)).rules)
      return c.json({ rules: faults.list() })
    })
    .delete('/', (c) => {
      faults.set([])
      return c.json({ rules: [] })
    })

/** What holds for all agents of the workspace. */
const settingRoutes = ({ store: { documents } }: RestServices) => {
  const current = async () =>
    WorkspaceSettings.parse((await documents.get('settings', 'workspace'))?.body ?? {})
  return new Hono<RestEnv>()
    .get('/', async (c) => c.json(await current()))
    .patch('/', async (c) => {
      const settings = { ...(await current()), ...(await readBody(c, SettingsChange)) }
      await documents.put('settings', { id: 'workspace', body: settings as unknown as Body })
      return c.json(settings)
    })
}

const WorkspaceSettings = z.looseObject({
  conversation_initiation_client_data_webhook: InitiationWebhook.nullable().default(null),
  webhooks: Webhooks.prefault({}),
  can_use_mcp_servers: z.boolean().default(false),
  rag_retention_period_days: z.int().min(1).max(30).default(10),
  default_livekit_stack: z.enum(['standard', 'static']).default('standard'),
})

const SettingsChange = z.looseObject({
  conversation_initiation_client_data_webhook: InitiationWebhook.nullable().optional(),
  webhooks: Webhooks.optional(),
  can_use_mcp_servers: z.boolean().optional(),
  rag_retention_period_days: z.int().min(1).max(30).optional(),
  default_livekit_stack: z.enum(['standard', 'static']).optional(),
})

/** How long a signed URL may wait to be used. */
const GOOD_FOR_MS = 15 * 60 * 1000

const signedUrlRoutes = ({ agents, store, now, onAwaited }: RestServices) =>
  new Hono<RestEnv>()
    .get('/get-signed-url', async (c) => {
      const query = readQuery(c, SignedUrlQuery)
      const { agentId } = await agentOf(agents, query.agent_id)
      const conversationId = query.include_conversation_id ? newId('conv') : undefined
      const signature = `cvtkn_${randomBytes(32).toString('base64url')}`
      const { version_id, branch_id, environment } = query
      await store.signedUrls.create(
        signature,
        {
          agentId,
          ...(conversationId !== undefined && { conversationId }),
          body: JSON.parse(JSON.stringify({ version_id, branch_id, environment })),
        },
        new Date(now() + GOOD_FOR_MS),
      )
      onAwaited()
      const url = new URL('/v1/convai/conversation', c.req.url.replace(/^http/, 'ws'))
      url.searchParams.set('agent_id', agentId)
      url.searchParams.set('conversation_signature', signature)
      if (environment !== undefined) url.searchParams.set('environment', environment)
      return c.json({
        signed_url: url.href,
        ...(conversationId !== undefined && { conversation_id: conversationId }),
      })
    })
    .get('/token', async (c) => {
      await agentOf(agents, readQuery(c, z.object({ agent_id: z.string() })).agent_id)
      throw new Refusal(
        'webrtc_needs_livekit',
        'WebRTC needs a LiveKit server, whose URL this local provider does not have. Use a signed URL (GET /v1/convai/conversation/get-signed-url), or connectionType "websocket".',
      )
    })

const SignedUrlQuery = z.object({
  agent_id: z.string(),
  include_conversation_id: z
    .enum(['true', 'false'])
    .default('false')
    .transform((flag) => flag === 'true'),
  branch_id: z.string().optional(),
  version_id: z.string().optional(),
  environment: z.string().optional(),
})

/** What an agent is to be tried with. Folders are not offered. */
const testRoutes = ({ store: { documents } }: RestServices) =>
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

/** Values go in and are never shown again. */
const secretRoutes = ({ store: { documents } }: RestServices) => {
  const usedBy = async (id: string) => ({
    tools: await dependantsOf(documents, 'tool', id),
    agents: await dependantsOf(documents, 'agent', id),
    others: [],
    phone_numbers: [],
  })
  const withUsers = async (secret: StoredDocument) => ({
    ...answerOf(secret),
    used_by: await usedBy(secret.id),
  })
  const secretOf = async (id: string) => {
    const secret = await documents.get('secret', id)
    if (!secret) throw secretNotFound(id)
    return secret
  }

  return new Hono<RestEnv>()
    .post('/', async (c) => {
      const { name, value } = await readBody(c, NewSecret)
      const stored = await documents.put('secret', { id: newId('secret'), body: { name }, secret: value })
      return c.json(answerOf(stored))
    })
    .get('/', async (c) => {
      const page = await documents.list('secret', pageFrom(readQuery(c, PageQuery)))
      return c.json({ secrets: await Promise.all(page.items.map(withUsers)), ...moreOf(page) })
    })
    .get('/:secretId', async (c) => c.json(await withUsers(await secretOf(c.req.param('secretId')))))
    .patch('/:secretId', async (c) => {
      const { id } = await secretOf(c.req.param('secretId'))
      const { name, value } = await readBody(c, SecretChange)
      return c.json(answerOf(await documents.put('secret', { id, body: { name }, secret: value })))
    })
    .delete('/:secretId', async (c) => {
      const id = c.req.param('secretId')
      const { tools, agents } = await usedBy(id)
      const users = [...tools, ...agents].map(({ name }) => name)
      if (users.length > 0) {
        throw new Refusal(
          'resource_in_use',
          `The secret ${id} is used by ${users.join(', ')}. Take it out there first.`,
        )
      }
      if (!(await documents.remove('secret', id))) throw secretNotFound(id)
      return c.body(null, 204)
    })
}

const NewSecret = z.object({ type: z.literal('new'), name: z.string().min(1), value: z.string() })
const SecretChange = z.object({ type: z.literal('update'), name: z.string().min(1), value: z.string() })

const answerOf = ({ id, body }: StoredDocument) => ({ type: 'stored', secret_id: id, name: body['name'] })

const secretNotFound = (id: string) =>
  new Refusal('secret_not_found', `There is no secret with the id ${id}.`, 'secret_id')
