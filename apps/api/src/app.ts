import { randomUUID } from 'node:crypto'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { etag } from 'hono/etag'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { PlatformError } from '@parley/contracts'
import type { Api, ApiEnv } from './api-env.ts'
import { admitCaller, admitCallerAgain, createNoEndpointError, isApiPath } from './auth/admit-caller.ts'
import { limitUploads } from './limit-uploads.ts'
import { compressJson } from './compress.ts'
import { checkJsonBody } from './json-body.ts'
import { createValidationError, toProblem, getWaitSeconds } from './problems.ts'
import { limitRequests } from './limit-requests.ts'
import { createAddressReader, refuseUnknownHosts } from './request-origin.ts'
import { serveConsole } from './routes/serve-console.ts'
import { createFactHandlers } from './routes/facts.ts'
import { registerEndpoints } from './routes/register-endpoints.ts'
import { createServerHandlers } from './routes/server.ts'
import { createMemberHandlers } from './routes/members.ts'
import { requireToolSecret, proveToolCall } from './routes/prove-tool-call.ts'
import { createReflectionHandlers } from './routes/reflections.ts'
import { createRuntimeHandlers } from './routes/runtime.ts'
import { createSessionHandlers } from './routes/sessions.ts'
import { createShareLinkHandlers, createShareVisitHandlers } from './routes/share-links.ts'
import { createMeHandlers, createSignInHandlers } from './routes/sign-in.ts'
import { createSourceHandlers } from './routes/sources.ts'
import { createTokenHandlers } from './routes/tokens.ts'
import { createToolHandlers } from './routes/tools.ts'
import { createTurnHandlers } from './routes/turns.ts'
import { createVoiceSessionHandlers } from './routes/voice-sessions.ts'
import { createWebhookHandlers } from './routes/webhooks.ts'
import type { Services } from './services.ts'

export function createApp(services: Services): Api {
  const { logger, metrics, recorder } = services
  const app: Api = new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) throw createValidationError(result.error.issues)
    },
  })

  app.use(async (c, next) => {
    const given = c.req.header('x-request-id')
    const requestId = given && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
    c.set('requestId', requestId)
    const began = performance.now()
    await next()
    c.header('x-request-id', requestId)
    if (isApiPath(c.req.path) && !c.res.headers.has('cache-control')) c.header('cache-control', 'no-store')
    const seconds = (performance.now() - began) / 1000
    const { method } = c.req
    const { status } = c.res
    const route = c.get('endpoint')?.path ?? 'console'
    metrics.requests.observe({ method, route, status }, seconds)
    recorder.time('request', `${method} ${route} ${Math.floor(status / 100)}xx`, seconds * 1000)
    logger.info({ requestId, method, route, status, ms: Math.round(seconds * 1000) }, 'request')
  })
  app.use(secureHeaders(createPagePolicy(services.voice?.socketOrigin)))
  app.use(refuseUnknownHosts(services.hosts))
  app.use(compressJson)

  const addressOf = createAddressReader(services.hosts)
  app.use(admitCaller(services, addressOf))
  app.use(limitRequests(addressOf))
  app.use('/v1/tools/*', requireToolSecret(services, addressOf))
  app.use(limitUploads(services.uploads))
  app.use(...checkJsonBody)
  app.use(admitCallerAgain(services))
  app.use('/v1/tools/*', proveToolCall(services))

  const handlers = {
    ...createServerHandlers(app, services),
    ...createMeHandlers(services),
    ...createSignInHandlers(services),
    ...createSessionHandlers(services),
    ...createVoiceSessionHandlers(services),
    ...createTurnHandlers(services),
    ...createTokenHandlers(services),
    ...createReflectionHandlers(services),
    ...createMemberHandlers(services),
    ...createSourceHandlers(services),
    ...createFactHandlers(services),
    ...createRuntimeHandlers(services),
    ...createToolHandlers(services),
    ...createWebhookHandlers(services),
    ...createShareLinkHandlers(services),
    ...createShareVisitHandlers(services),
  }
  registerEndpoints(app, handlers, services)
  app.get('*', etag(), serveConsole(services.consoleDir))

  app.onError((failure, c) => {
    const caller = c.get('caller') as ApiEnv['Variables']['caller'] | undefined
    const reader = caller === undefined || caller.role === 'guest' ? 'visitor' : 'member'
    const problem = toProblem(asPlatformError(failure), c.get('requestId'), reader)
    if (problem.status >= 500) logger.error({ requestId: problem.requestId, err: failure }, 'request failed')
    const waitSeconds = getWaitSeconds(failure)
    if (waitSeconds !== undefined) c.header('retry-after', String(waitSeconds))
    if (problem.code === 'unauthenticated' && !isForProvider(c)) c.header('www-authenticate', 'Bearer')
    return c.json(problem, problem.status, { 'content-type': 'application/problem+json' })
  })
  app.notFound((c) => {
    throw createNoEndpointError('not_found', c.req.method, c.req.path)
  })
  return app
}

/** The voice provider proves itself by a secret or a signature, not by a token. */
const isForProvider = (c: Context<ApiEnv>) =>
  ['tool-secret', 'webhook-signature'].includes(c.get('endpoint')?.access ?? '')

/** Hono throws its own errors for a body that it cannot read. */
function asPlatformError(failure: unknown): unknown {
  const status = failure instanceof HTTPException ? failure.status : undefined
  if (status === 400) return new PlatformError('validation', { message: 'The body is not valid JSON.' })
  return status === 415 ? new PlatformError('unsupported_media_type') : failure
}

/** Pages may load our own files, call this server and the voice provider, and use the microphone. Nothing inline. */
const createPagePolicy = (voiceOrigin: string | undefined): Parameters<typeof secureHeaders>[0] => ({
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
