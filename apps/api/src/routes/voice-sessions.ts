import type { SessionId, Transport } from '@parley/contracts'
import { type CallClient, enterToReconnect, startAnySession, startInTime } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { wait } from '../node-host.ts'
import { toReflectionHost } from '../reflections/reflection-host.ts'
import type { Services } from '../services.ts'
import type { Handlers } from './register-endpoints.ts'

/** Only for spoken sessions: the start of a mobile app, and reconnects. */
export function createVoiceSessionHandlers(services: Services) {
  const host = toReflectionHost(services)
  const reconnect = <Client extends CallClient>(caller: Caller, lost: LostCall, client: Client) =>
    startInTime(wait, async (time) => {
      const { row, reflection } = await time.run(() => enterToReconnect(caller, lost.sessionId, host))
      return host.reflectionSessions.reconnect(row, reflection, { transport: lost.transport, client }, time)
    })

  return {
    startMobileSession: async (c) => {
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
