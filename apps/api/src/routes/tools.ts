import {
  AGENT_ACTIONS,
  type ActionEndpointName,
  AgentAction,
  actionEndpointName,
  actionStatus,
} from '@parley/contracts'
import { callFromProvider } from '@parley/reflections'
import type { Context } from 'hono'
import type { ApiEnv } from '../api.ts'
import { reflectionHost } from '../reflections/reflection-sessions.ts'
import type { Services } from '../services.ts'
import type { Handlers } from './handlers.ts'

/** One handler for each action of the voice provider's agents. A call's origin is proven before its handler runs. */
export function toolHandlers(services: Services) {
  const handlers = AgentAction.options.map((action) => {
    // The body holds the proof of the call, too.
    const withoutProof = AGENT_ACTIONS[action].input.strip()
    const handle = async (c: Context<ApiEnv, string, { out: { json: object } }>) => {
      const input = withoutProof.parse(c.req.valid('json'))
      const call = { host: reflectionHost(services), signal: c.req.raw.signal }
      return c.json(await callFromProvider(action, input, c.get('callOrigin'), call), actionStatus(action))
    }
    return [actionEndpointName(action), handle]
  })
  // The type pairs each name with its handler; a loop cannot.
  return Object.fromEntries(handlers) as unknown as Pick<Handlers, ActionEndpointName>
}
