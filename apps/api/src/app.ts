import { type Handlers, registerEndpoints } from './routes/handlers.ts'
import { buildOpenApiDocument } from './routes/openapi-document.ts'
import { randomUUID } from 'node:crypto'
import { OpenAPIHono } from '@hono/zod-openapi'
import { etag } from 'hono/etag'
import { secureHeaders } from 'hono/secure-headers'
import { PlatformError } from '@parley/contracts'
import { enterSession, readCitations, refuseNonAdmin } from '@parley/reflections'
import type { Api, ApiEnv } from './api.ts'
import { accessOf, needsToken } from './auth/access.ts'
import { authenticate } from './auth/authenticate.ts'
import { credentialOf } from './auth/credential-of.ts'
import { requireMember, requireMemberAgain } from './auth/enter-reflection.ts'
import { boundUploads } from './bound-uploads.ts'
import { compressJson } from './compress.ts'
import { jsonBody } from './json-body.ts'
import { invalidRequest, problemOf, waitSecondsOf } from './problems.ts'
import { boundGuesses, boundVisitors } from './reflections/visitor-bounds.ts'
import { addressOf, knownHosts } from './request-origin.ts'
import { approvalHandlers } from './routes/approvals.ts'
import { artifactHandlers } from './routes/artifacts.ts'
import { consoleFiles } from './routes/console-files.ts'
import { exportHandlers } from './routes/export.ts'
import { factHandlers } from './routes/facts.ts'
import { healthHandlers } from './routes/health.ts'
import { memberHandlers } from './routes/members.ts'
import { present } from './routes/present.ts'
import { askForToolSecret, proveToolCall } from './routes/prove-tool-call.ts'
import { reflectionHandlers } from './routes/reflections.ts'
import { sessionHandlers } from './routes/sessions.ts'
import { shareLinkHandlers, shareVisitHandlers } from './routes/share-links.ts'
import { meHandlers, signInHandlers } from './routes/sign-in.ts'
import { sourceHandlers } from './routes/sources.ts'
import { syncHandlers } from './routes/sync.ts'
import { tokenHandlers } from './routes/tokens.ts'
import { toolHandlers } from './routes/tools.ts'
import { turnHandlers } from './routes/turns.ts'
import { variableHandlers } from './routes/variables.ts'
import { voiceSessionHandlers } from './routes/voice-sessions.ts'
import { webhookHandlers } from './routes/webhooks.ts'
import type { Services } from './services.ts'

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
      if (isApiPath(path) || found === 'method_not_allowed') throw noSuchRoute(found, c.req.method, path)
      return next()
    }
    c.set('route', found.route)
    const { access } = found
    if (!needsToken(access)) return next()
    const rank = access === 'any-admin' ? 'viewer' : access
    const caller = await authenticate(credentialOf(c), rank, services).catch((failure: unknown) =>
      refuseGuessing(failure, c),
    )
    if (access === 'any-admin') await refuseNonAdmin(caller, services.reflections)
    c.set('caller', caller)
    return next()
  })

  app.use(boundVisitors(whoCalls))
  app.use('/v1/tools/*', askForToolSecret(services, whoCalls))
  app.use(requireMember(services.reflections))
  app.use(boundUploads(services.uploads))
  app.use(...jsonBody)
  app.use(requireMemberAgain(services))
  app.use('/v1/tools/*', proveToolCall(services))

  const handlers = {
    ...operationHandlers(app, services),
    ...meHandlers(services),
    ...signInHandlers(services),
    ...healthHandlers(services),
    ...sessionHandlers(services),
    ...voiceSessionHandlers(services),
    ...citationHandlers(services),
    ...turnHandlers(services),
    ...approvalHandlers(services),
    ...exportHandlers(services),
    ...tokenHandlers(services),
    ...auditHandlers(services),
    ...reflectionHandlers(services),
    ...memberHandlers(services),
    ...sourceHandlers(services),
    ...factHandlers(services),
    ...artifactHandlers(services),
    ...syncHandlers(services),
    ...voiceHandlers(services),
    ...variableHandlers(services),
    ...toolHandlers(services),
    ...webhookHandlers(services),
    ...shareLinkHandlers(services),
    ...shareVisitHandlers(services),
  }
  registerEndpoints(app, handlers, services)
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
    throw noSuchRoute('not_found', c.req.method, c.req.path)
  })
  return app
}

const isApiPath = (path: string) => path === '/v1' || path.startsWith('/v1/')

const noSuchRoute = (code: 'not_found' | 'method_not_allowed', method: string, path: string) =>
  new PlatformError(code, {
    message:
      code === 'not_found'
        ? `Nothing answers to ${method} ${path}. /v1/openapi.json lists all endpoints.`
        : `${path} does not take ${method}. The Allow header lists the allowed methods.`,
  })

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const methodsOf = (path: string) => METHODS.filter((method) => typeof accessOf(method, path) !== 'string')

/** Hono throws its own error for a body that is not JSON. */
function asPlatformError(failure: unknown): unknown {
  const isBadJson = failure instanceof Error && 'status' in failure && failure.status === 400
  return isBadJson ? new PlatformError('validation', { message: 'The body is not valid JSON.' }) : failure
}

/** The voices that a reflection may be given. */
function voiceHandlers({ voice }: Services) {
  return {
    listVoices: async (c) => {
      const items = voice ? await voice.provider.listVoices(c.req.raw.signal) : []
      return c.json({ items: [...items] }, 200)
    },
  } satisfies Partial<Handlers>
}

/** Pages may load our own files, call this server and the voice provider, and use the microphone. Nothing inline. */
const pagePolicy = (voiceOrigin: string | undefined): Parameters<typeof secureHeaders>[0] => ({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'", ...(voiceOrigin === undefined ? [] : [voiceOrigin])],
    manifestSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
  permissionsPolicy: { microphone: ['self'], camera: [], geolocation: [] },
  xFrameOptions: 'DENY',
  referrerPolicy: 'no-referrer',
  strictTransportSecurity: false,
})

/** The audit log of the server. */
function auditHandlers({ audit }: Services) {
  return {
    listAuditEntries: async (c) => {
      const page = await audit.read(present(c.req.valid('query')))
      return c.json({ ...page, items: [...page.items] }, 200)
    },
  } satisfies Partial<Handlers>
}

/** Health, metrics and the API description. */
function operationHandlers(app: Api, { ready, metrics, instanceId }: Services) {
  // Built at the first request, when all routes are registered.
  let document: { readonly openapi: string } | undefined
  return {
    getLiveness: (c) => c.json({ status: 'ok' as const, instanceId }, 200),
    getReadiness: async (c) => {
      await ready()
      return c.json({ status: 'ready' as const }, 200)
    },
    getMetrics: async (c) =>
      c.text(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType }),
    getOpenApi: (c) => c.json((document ??= buildOpenApiDocument(app)), 200),
  } satisfies Partial<Handlers>
}

/** The sources that a session's answers used. */
function citationHandlers(services: Services) {
  return {
    listCitations: async (c) => {
      const { sessionId } = c.req.valid('param')
      const { after, limit } = c.req.valid('query')
      const caller = c.get('caller')
      const { withReflection } = await enterSession(caller, sessionId, 'read', services)
      const range = { after, limit: limit + 1 }
      const found = withReflection
        ? await readCitations(withReflection, caller.personId, range, services)
        : []
      const items = found.slice(0, limit)
      const last = items.at(-1)
      return c.json({ items, ...(last && found.length > limit && { nextCursor: String(last.number) }) }, 200)
    },
  } satisfies Partial<Handlers>
}
