import { randomUUID } from 'node:crypto'
import { OpenAPIHono } from '@hono/zod-openapi'
import { PlatformError } from '@parley/contracts'
import { etag } from 'hono/etag'
import { secureHeaders } from 'hono/secure-headers'
import { addressOf } from './address-of.ts'
import type { Api, ApiEnv } from './api.ts'
import { accessOf } from './auth/access.ts'
import { authenticate } from './auth/authenticate.ts'
import { credentialOf } from './auth/credential-of.ts'
import { enterReflection, enterWithBody } from './auth/enter-reflection.ts'
import { refuseNoAdmin } from './auth/refuse-no-admin.ts'
import { boundUploads } from './bound-uploads.ts'
import { compressJson } from './compress.ts'
import { invalidRequest } from './invalid-request.ts'
import { jsonBody } from './json-body.ts'
import { knownHosts } from './known-hosts.ts'
import { pagePolicy } from './page-policy.ts'
import { problemOf, waitSecondsOf } from './problems.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { artifactRoutes } from './routes/artifacts.ts'
import { auditRoutes } from './routes/audit.ts'
import { citationRoutes } from './routes/citations.ts'
import { consoleFiles } from './routes/console-files.ts'
import { exportRoutes } from './routes/export.ts'
import { factRoutes } from './routes/facts.ts'
import { healthRoutes } from './routes/health.ts'
import { meRoutes } from './routes/me.ts'
import { memberRoutes } from './routes/members.ts'
import { operationRoutes } from './routes/operations.ts'
import { reflectionRoutes } from './routes/reflections.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { shareLinkRoutes } from './routes/share-links.ts'
import { shareVisitRoutes } from './routes/share-visits.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { sourceRoutes } from './routes/sources.ts'
import { syncRoutes } from './routes/sync.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { askForToolSecret, proveToolCall } from './routes/prove-tool-call.ts'
import { toolRoutes } from './routes/tools.ts'
import { turnRoutes } from './routes/turns.ts'
import { variableRoutes } from './routes/variables.ts'
import { voiceSessionRoutes } from './routes/voice-sessions.ts'
import { voiceRoutes } from './routes/voices.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import type { Services } from './services.ts'
import { boundGuesses, boundVisitors } from './voice/visitor-bounds.ts'

export function createApp(services: Services): Api {
  const { logger, metrics, recorder } = services
  const app: Api = new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalidRequest(result.error.issues)
    },
  })

  app.use(async (c, next) => {
    const given = c.req.header('x-request-id')
    const requestId = given && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
    c.set('requestId', requestId)
    c.set('route', 'console')
    const began = performance.now()
    await next()
    c.header('x-request-id', requestId)
    if (isApiPath(c.req.path) && !c.res.headers.has('cache-control')) c.header('cache-control', 'no-store')
    const seconds = (performance.now() - began) / 1000
    const { method } = c.req
    const { status } = c.res
    const route = c.get('route')
    metrics.requests.observe({ method, route, status }, seconds)
    recorder.time('request', `${method} ${route} ${Math.floor(status / 100)}xx`, seconds * 1000)
    logger.info({ requestId, method, route, status, ms: Math.round(seconds * 1000) }, 'request')
  })
  app.use(secureHeaders(pagePolicy(services.voice?.socketOrigin)))
  app.use(knownHosts(services.hosts))
  app.use(compressJson)

  const whoCalls = addressOf(services.hosts)
  const refuseGuessing = boundGuesses('token', whoCalls)
  app.use(async (c, next) => {
    const { path } = c.req
    const found = accessOf(c.req.method, path)
    if (typeof found === 'string') {
      if (found === 'method_not_allowed') c.header('allow', methodsOf(path).join(', '))
      if (isApiPath(path) || found === 'method_not_allowed') throw nowhere(found, c.req.method, path)
      return next()
    }
    c.set('route', found.route)
    const { access } = found
    if (access === 'anyone' || access === 'provider') return next()
    const rank = access === 'any-admin' ? 'viewer' : access
    const caller = await authenticate(credentialOf(c), rank, services).catch((failure: unknown) =>
      refuseGuessing(failure, c),
    )
    if (access === 'any-admin') await refuseNoAdmin(caller, services.reflections)
    c.set('caller', caller)
    return next()
  })

  app.use(boundVisitors(whoCalls))
  app.use('/v1/tools/*', askForToolSecret(services, whoCalls))
  app.use(enterReflection(services.reflections))
  app.use(boundUploads(services.uploads))
  app.use(...jsonBody)
  app.use(enterWithBody(services))
  app.use('/v1/tools/*', proveToolCall(services))

  operationRoutes(app, services)
  meRoutes(app, services)
  signInRoutes(app, services)
  healthRoutes(app, services)
  sessionRoutes(app, services)
  voiceSessionRoutes(app, services)
  citationRoutes(app, services)
  turnRoutes(app, services)
  approvalRoutes(app, services)
  exportRoutes(app, services)
  tokenRoutes(app, services)
  auditRoutes(app, services)
  reflectionRoutes(app, services)
  memberRoutes(app, services)
  sourceRoutes(app, services)
  factRoutes(app, services)
  artifactRoutes(app, services)
  syncRoutes(app, services)
  voiceRoutes(app, services)
  variableRoutes(app, services)
  toolRoutes(app, services)
  webhookRoutes(app, services)
  shareLinkRoutes(app, services)
  shareVisitRoutes(app, services)
  app.get('*', etag(), consoleFiles(services.consoleDir))

  app.onError((failure, c) => {
    const caller = c.get('caller') as ApiEnv['Variables']['caller'] | undefined
    const reader = caller === undefined || caller.role === 'guest' ? 'visitor' : 'member'
    const problem = problemOf(asPlatformError(failure), c.get('requestId'), reader)
    if (problem.status >= 500) logger.error({ requestId: problem.requestId, err: failure }, 'request failed')
    const waitSeconds = waitSecondsOf(failure)
    if (waitSeconds !== undefined) c.header('retry-after', String(waitSeconds))
    if (problem.code === 'unauthenticated') c.header('www-authenticate', 'Bearer')
    return c.json(problem, problem.status, { 'content-type': 'application/problem+json' })
  })
  app.notFound((c) => {
    throw nowhere('not_found', c.req.method, c.req.path)
  })
  return app
}

const isApiPath = (path: string) => path === '/v1' || path.startsWith('/v1/')

const nowhere = (code: 'not_found' | 'method_not_allowed', method: string, path: string) =>
  new PlatformError(code, {
    message:
      code === 'not_found'
        ? `Nothing answers to ${method} ${path}. /v1/openapi.json lists what there is.`
        : `${path} does not take ${method}. The Allow header names what it takes.`,
  })

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const methodsOf = (path: string) => METHODS.filter((method) => typeof accessOf(method, path) !== 'string')

/** Hono throws its own error for a body that is not JSON. */
function asPlatformError(failure: unknown): unknown {
  const isBadJson = failure instanceof Error && 'status' in failure && failure.status === 400
  return isBadJson ? new PlatformError('validation', { message: 'The body is not valid JSON.' }) : failure
}
