import type { Handlers } from './handlers.ts'
import { PlatformError, type Reflection, type SessionId, type Transport } from '@parley/contracts'
import { inTime, mayEnterSession, type ReflectionSession, type SpokenKind } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'
import { reflectionSessionsOf, wait } from '../reflections/reflection-sessions.ts'
import { startAny } from './start-any.ts'

/** What is only of spoken sessions: the mobile app's start, and another connection to a call that was lost. */
export function voiceSessionHandlers(services: Services) {
  const reflectionSessions = reflectionSessionsOf(services)
  const reconnect = <Kind extends SpokenKind>(caller: Caller, again: Again, kind: Kind) =>
    inTime(wait, async (time) => {
      const { session, reflection } = await time.within(() => ownSession(caller, again.sessionId, services))
      return reflectionSessions.reconnect(session, reflection, { transport: again.transport, kind }, time)
    })

  return {
    startMobileSession: async (c) =>
      c.json(await startAny(c.req.valid('json'), c.get('caller'), 'mobile', services), 201),

    reconnectSession: async (c) => {
      const again = { ...c.req.valid('param'), ...c.req.valid('json') }
      return c.json(await reconnect(c.get('caller'), again, 'web'), 200)
    },

    reconnectMobileSession: async (c) => {
      const again = { ...c.req.valid('param'), ...c.req.valid('json') }
      return c.json(await reconnect(c.get('caller'), again, 'mobile'), 200)
    },
  } satisfies Partial<Handlers>
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
