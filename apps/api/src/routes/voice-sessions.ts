import { createRoute } from '@hono/zod-openapi'
import {
  MobileSessionResponse,
  PlatformError,
  type Reflection,
  ReconnectSession,
  type SessionId,
  SessionRef,
  StartedSession,
  StartAnySession,
  type Transport,
  VoiceSessionResponse,
} from '@parley/contracts'
import { inTime, mayEnterSession, type ReflectionSession, type SpokenKind } from '@parley/reflections'
import { z } from 'zod'
import type { Api } from '../api.ts'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'
import { reflectionSessionsOf, wait } from '../reflections/reflection-sessions.ts'
import { body, json, problems } from './describe.ts'
import { startAny } from './start-any.ts'

/** What is only of spoken sessions: the mobile app's start, and another connection to a call that was lost. */
export function voiceSessionRoutes(app: Api, services: Services) {
  const reflectionSessions = reflectionSessionsOf(services)
  app.openapi(START_MOBILE, async (c) =>
    c.json(await startAny(c.req.valid('json'), c.get('caller'), 'mobile', services), 201),
  )

  const reconnect = <Kind extends SpokenKind>(caller: Caller, again: Again, kind: Kind) =>
    inTime(wait, async (time) => {
      const { session, reflection } = await time.within(() => ownSession(caller, again.sessionId, services))
      return reflectionSessions.reconnect(session, reflection, { transport: again.transport, kind }, time)
    })
  app.openapi(RECONNECT, async (c) => {
    const again = { ...c.req.valid('param'), ...c.req.valid('json') }
    return c.json(await reconnect(c.get('caller'), again, 'web'), 200)
  })
  app.openapi(RECONNECT_MOBILE, async (c) => {
    const again = { ...c.req.valid('param'), ...c.req.valid('json') }
    return c.json(await reconnect(c.get('caller'), again, 'mobile'), 200)
  })
}

interface Again {
  readonly sessionId: SessionId
  readonly transport: Transport
}

/** By its row alone, since a call off the record has nothing else here. */
async function ownSession(
  caller: Caller,
  sessionId: SessionId,
  services: Services,
): Promise<{ readonly session: ReflectionSession; readonly reflection: Reflection }> {
  const session = await services.reflectionSessions.find(sessionId)
  const mayJoin = session && (await mayEnterSession(caller, session, 'speak', services))
  const reflection = mayJoin && (await services.reflections.find(session.reflectionId))
  if (!reflection) throw noSession(sessionId)
  return { session, reflection }
}

const noSession = (sessionId: SessionId) =>
  new PlatformError('session_not_found', { sessionId, message: `There is no session ${sessionId} of yours.` })

const START_MOBILE = createRoute({
  method: 'post',
  path: '/v1/mobile/sessions',
  summary: 'Start a session from the mobile app',
  description:
    'As `POST /v1/sessions`; the answer of a spoken one also has the provider’s own id of its conversation.',
  request: { body: body(StartAnySession) },
  responses: { 201: json(z.union([MobileSessionResponse, StartedSession]), 'The new session'), ...problems },
})

const AGAIN = 'Connect once more to a spoken session that is on'
const RECONNECTING = { params: SessionRef, body: { ...body(ReconnectSession), required: false } }

const RECONNECT = createRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/reconnect',
  summary: AGAIN,
  description: 'A credential is good for one connection. The new one takes the place of the one before.',
  request: RECONNECTING,
  responses: { 200: json(VoiceSessionResponse, 'How to connect'), ...problems },
})

const RECONNECT_MOBILE = createRoute({
  method: 'post',
  path: '/v1/mobile/sessions/{sessionId}/reconnect',
  summary: AGAIN,
  request: RECONNECTING,
  responses: { 200: json(MobileSessionResponse, 'How to connect'), ...problems },
})
