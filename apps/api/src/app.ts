import { randomUUID } from 'node:crypto'
import { OpenAPIHono, createRoute } from '@hono/zod-openapi'
import { etag } from 'hono/etag'
import { secureHeaders } from 'hono/secure-headers'
import {
  AuditPage,
  CitationPage,
  PageQuery,
  PlatformError,
  ProviderVoices,
  ReadCitations,
  SessionRef,
} from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { isAtLeast } from '@parley/reflections'
import type { Api, ApiEnv } from './api.ts'
import { accessOf } from './auth/access.ts'
import { type Caller, authenticate } from './auth/authenticate.ts'
import { credentialOf } from './auth/credential-of.ts'
import { enterReflection, enterWithBody } from './auth/enter-reflection.ts'
import { boundUploads } from './bound-uploads.ts'
import { compressJson } from './compress.ts'
import { jsonBody } from './json-body.ts'
import { invalidRequest, problemOf, waitSecondsOf } from './problems.ts'
import { readCitations } from './reflections/session-details.ts'
import { boundGuesses, boundVisitors } from './reflections/visitor-bounds.ts'
import { addressOf, knownHosts } from './request-origin.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { artifactRoutes } from './routes/artifacts.ts'
import { consoleFiles } from './routes/console-files.ts'
import { json, problems } from './routes/describe.ts'
import { exportRoutes } from './routes/export.ts'
import { factRoutes } from './routes/facts.ts'
import { healthRoutes } from './routes/health.ts'
import { memberRoutes } from './routes/members.ts'
import { present } from './routes/present.ts'
import { askForToolSecret, proveToolCall } from './routes/prove-tool-call.ts'
import { reflectionRoutes } from './routes/reflections.ts'
import { sessionFor } from './routes/session-for.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { shareLinkRoutes, shareVisitRoutes } from './routes/share-links.ts'
import { meRoutes, signInRoutes } from './routes/sign-in.ts'
import { sourceRoutes } from './routes/sources.ts'
import { syncRoutes } from './routes/sync.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { toolRoutes } from './routes/tools.ts'
import { turnRoutes } from './routes/turns.ts'
import { variableRoutes } from './routes/variables.ts'
import { voiceSessionRoutes } from './routes/voice-sessions.ts'
import { webhookRoutes } from './routes/webhooks.ts'
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
    throw noSuchRoute('not_found', c.req.method, c.req.path)
  })
  return app
}

const isApiPath = (path: string) => path === '/v1' || path.startsWith('/v1/')

const noSuchRoute = (code: 'not_found' | 'method_not_allowed', method: string, path: string) =>
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

/** Lets in who runs the server or any reflection, whatever they are on the server. */
export async function refuseNoAdmin(
  { role, personId }: Caller,
  reflections: Pick<ReflectionStore, 'runsAny'>,
): Promise<void> {
  if (isAtLeast(role, 'admin') || (await reflections.runsAny(personId))) return
  throw new PlatformError('forbidden', {
    message: 'This is for owners and admins of a reflection, and for admins of this server.',
  })
}

/** The voices that a reflection may be given. */
function voiceRoutes(app: Api, { voice }: Services) {
  app.openapi(VOICES, async (c) => {
    const items = voice ? await voice.provider.listVoices(c.req.raw.signal) : []
    return c.json({ items: [...items] }, 200)
  })
}

const VOICES = createRoute({
  method: 'get',
  path: '/v1/voices',
  summary: 'The voices of the voice provider; none where this server does not speak',
  responses: { 200: json(ProviderVoices, 'The voices'), ...problems },
})

/** What a page of ours may do: run our own files, call this server and the voice provider, hear the microphone. Nothing inline. */
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

/** What was done on the server as a whole. */
function auditRoutes(app: Api, { audit }: Services) {
  app.openapi(READ, async (c) => {
    const page = await audit.read(present(c.req.valid('query')))
    return c.json({ ...page, items: [...page.items] }, 200)
  })
}

const READ = createRoute({
  method: 'get',
  path: '/v1/audit',
  summary: 'The audit log of this server; latest first',
  description: 'To sessions, tokens and reflections, those that are gone too.',
  request: { query: PageQuery },
  responses: { 200: json(AuditPage, 'A page of what was done'), ...problems },
})

/** What those who run a server ask it. */
function operationRoutes(app: Api, { ready, metrics, instanceId }: Services) {
  app.get('/healthz', (c) => c.json({ status: 'ok', instanceId }))
  app.get('/readyz', async (c) => {
    await ready()
    return c.json({ status: 'ready' })
  })
  app.get('/metrics', async (c) =>
    c.body(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType }),
  )
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })
  // Of all routes, which are there once somebody asks; they do not change.
  let described: ReturnType<Api['getOpenAPI31Document']> | undefined
  app.get('/v1/openapi.json', (c) => c.json((described ??= app.getOpenAPI31Document(DESCRIPTION))))
}

const DESCRIPTION = {
  openapi: '3.1.0',
  info: {
    title: 'Parley',
    version: '1',
    description:
      'Sessions with one agent: start, say, listen, resume. Errors are RFC 9457 problems with a `code`.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  security: [{ bearer: [] }],
}

/** What the answers of a session were drawn from. */
function citationRoutes(app: Api, services: Services) {
  app.openapi(CITATIONS, async (c) => {
    const { sessionId } = c.req.valid('param')
    const { after, limit } = c.req.valid('query')
    const caller = c.get('caller')
    const { withReflection } = await sessionFor(caller, sessionId, 'read', services)
    const range = { after, limit: limit + 1 }
    const found = withReflection ? await readCitations(withReflection, caller, range, services) : []
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return c.json({ items, ...(last && found.length > limit && { nextCursor: String(last.number) }) }, 200)
  })
}

const CITATIONS = createRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/citations',
  summary: 'What was looked up in a session with a reflection, in order',
  description:
    'Each with the evidence that it found, as far as that still stands and may still be told to you. ' +
    'Off the record nothing of it is kept.',
  request: { params: SessionRef, query: ReadCitations },
  responses: { 200: json(CitationPage, 'A page of citations'), ...problems },
})
