import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { z } from 'zod'
import { PlatformError } from '@parley/contracts'
import { createId } from '../documents.ts'
import { FaultRules } from '../faults.ts'
import { accountRoutes, voiceRoutes } from './account.ts'
import { testRoutes, testRunRoutes } from './agent-tests.ts'
import { getAgent, agentRoutes } from './agents.ts'
import { branchRoutes } from './branches.ts'
import { conversationRoutes } from './conversations.ts'
import {
  PUBLIC_ROUTES,
  requireApiKey,
  refuseTooManyCalls,
  checkHost,
  injectFaults,
  assignRequestIds,
  rejectNullIds,
} from './edge.ts'
import { readBody, readQuery } from './read-request.ts'
import { RequestRefusal, UnprocessableRequest } from './refusal.ts'
import type { RestEnv, RestServices } from './rest-env.ts'
import { toolRoutes } from './tools.ts'
import { environmentVariableRoutes, secretRoutes, settingRoutes, webhookRoutes } from './workspace.ts'

/** Largest request: a file upload. */
const MAX_BYTES = 10 * 1024 * 1024

/** The parts of the vendor's REST API that its clients use. */
export function createRest(services: RestServices): Hono<RestEnv> {
  const app = new Hono<RestEnv>()
  app.use(assignRequestIds(services), checkHost(services))
  // As at the vendor, pages of any origin may call routes without a key.
  const open = cors({ origin: '*', allowHeaders: ['*'] })
  app.use((c, next) => (PUBLIC_ROUTES.some(({ path }) => path.test(c.req.path)) ? open(c, next) : next()))
  app.use(requireApiKey(services.apiKey))
  app.use(rejectNullIds)
  app.route('/parley/faults', faultRoutes(services))
  app.use(
    injectFaults(services),
    refuseTooManyCalls(),
    bodyLimit({ maxSize: MAX_BYTES, onError: refuseLargeBody }),
  )

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
    const refusal = new RequestRefusal(
      'not_found',
      `${c.req.method} ${c.req.path} is not supported by this local provider.`,
    )
    return c.json(refusal.bodyFor(c.get('requestId')), refusal.status)
  })
  app.onError((failure, c) => {
    if (failure instanceof UnprocessableRequest) return c.json({ detail: failure.fieldErrors }, 422)
    const refusal = failure instanceof RequestRefusal ? failure : toRefusal(failure)
    const requestId = c.get('requestId')
    if (c.req.raw.signal.aborted) services.logger.debug({ err: failure, requestId }, 'call dropped')
    else if (refusal.status >= 500) services.logger.error({ err: failure, requestId }, 'call failed')
    return c.json(refusal.bodyFor(requestId), refusal.status)
  })
  return app
}

function refuseLargeBody(): never {
  throw new RequestRefusal('payload_too_large', `A body can have at most ${MAX_BYTES} bytes.`)
}

function toRefusal(failure: unknown): RequestRefusal {
  if (failure instanceof PlatformError && failure.code === 'validation')
    return new RequestRefusal('invalid_cursor', failure.detail.message ?? 'The request is not valid.')
  if (failure instanceof PlatformError && failure.code === 'database_unavailable')
    return new RequestRefusal('database_unavailable', 'The database does not answer. Try again in a moment.')
  return new RequestRefusal('internal_server_error', 'Internal error. See the log of the provider.')
}

/** Fault injection. Not part of the vendor's API. */
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

/** Lifetime of a signed URL. */
const SIGNED_URL_LIFETIME_MS = 15 * 60 * 1000

const signedUrlRoutes = ({ agents, store, now, onCallExpected }: RestServices) =>
  new Hono<RestEnv>()
    .get('/get-signed-url', async (c) => {
      const query = readQuery(c, SignedUrlQuery)
      const { agentId } = await getAgent(agents, query.agent_id)
      const conversationId = query.include_conversation_id ? createId('conv') : undefined
      const signature = `cvtkn_${randomBytes(32).toString('base64url')}`
      const { version_id, branch_id, environment } = query
      await store.signedUrls.create(
        signature,
        {
          agentId,
          ...(conversationId !== undefined && { conversationId }),
          body: JSON.parse(JSON.stringify({ version_id, branch_id, environment })),
        },
        new Date(now() + SIGNED_URL_LIFETIME_MS),
      )
      onCallExpected()
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
      await getAgent(agents, readQuery(c, z.object({ agent_id: z.string() })).agent_id)
      throw new RequestRefusal(
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
