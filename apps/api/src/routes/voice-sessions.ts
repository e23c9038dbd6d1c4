import type { SessionId, Transport } from '@parley/contracts'
import { type SpokenKind, enterCall, inTime, startAnySession } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { wait } from '../node-host.ts'
import { reflectionHost, reflectionSessionsOf } from '../reflections/reflection-sessions.ts'
import type { Services } from '../services.ts'
import type { Handlers } from './handlers.ts'

/** Only for spoken sessions: the start of a mobile app, and reconnects. */
export function voiceSessionHandlers(services: Services) {
  const reflectionSessions = reflectionSessionsOf(services)
  const reconnect = <Kind extends SpokenKind>(caller: Caller, lost: LostCall, kind: Kind) =>
    inTime(wait, async (time) => {
      const { session, reflection } = await time.within(() => enterCall(caller, lost.sessionId, services))
      return reflectionSessions.reconnect(session, reflection, { transport: lost.transport, kind }, time)
    })

  return {
    startMobileSession: async (c) => {
      const host = reflectionHost(services)
      return c.json(await startAnySession(c.req.valid('json'), c.get('caller'), 'mobile', host), 201)
    },

    reconnectSession: async (c) => {
      const lost = { ...c.req.valid('param'), ...c.req.valid('json') }
      return c.json(await reconnect(c.get('caller'), lost, 'web'), 200)
    },

    reconnectMobileSession: async (c) => {
      const lost = { ...c.req.valid('param'), ...c.req.valid('json') }
      return c.json(await reconnect(c.get('caller'), lost, 'mobile'), 200)
    },
  } satisfies Partial<Handlers>
}

interface LostCall {
  readonly sessionId: SessionId
  readonly transport: Transport
}
