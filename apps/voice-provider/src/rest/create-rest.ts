import { PlatformError } from '@parley/contracts'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { accountRoutes, voiceRoutes } from './account.ts'
import { agentRoutes } from './agents.ts'
import { authenticate, WITHOUT_KEY } from './authenticate.ts'
import { branchRoutes } from './branches.ts'
import { conversationRoutes } from './conversations.ts'
import { fewAtOnce, knownHosts, misbehave, requestIds, storableIds } from './edge.ts'
import { environmentVariableRoutes } from './environment-variables.ts'
import { faultRoutes } from './faults.ts'
import { Refusal } from './refusal.ts'
import type { RestEnv, RestServices } from './rest-env.ts'
import { secretRoutes } from './secrets.ts'
import { settingRoutes } from './settings.ts'
import { signedUrlRoutes } from './signed-urls.ts'
import { testRunRoutes } from './test-runs.ts'
import { testRoutes } from './tests.ts'
import { toolRoutes } from './tools.ts'
import { Unprocessable } from './unprocessable.ts'
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
