import {
  AGENT_ACTIONS,
  type ActionEndpointName,
  AgentAction,
  toActionEndpointName,
  getActionStatus,
} from '@parley/contracts'
import { callFromProvider } from '@parley/reflections'
import type { Context } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import { toReflectionHost } from '../reflections/reflection-host.ts'
import type { Services } from '../services.ts'
import type { Handlers } from './register-endpoints.ts'

/** One handler for each action of the voice provider's agents. A call's origin is proven before its handler runs. */
export function createToolHandlers(services: Services) {
  const host = toReflectionHost(services)
  const handlers = AgentAction.options.map((action) => {
    // The body holds the proof of the call, too.
    const withoutProof = AGENT_ACTIONS[action].input.strip()
    const handle = async (c: Context<ApiEnv, string, { out: { json: object } }>) => {
      const input = withoutProof.parse(c.req.valid('json'))
      const call = { host, signal: c.req.raw.signal }
      return c.json(await callFromProvider(action, input, c.get('callOrigin'), call), getActionStatus(action))
    }
    return [toActionEndpointName(action), handle]
  })
  // The type pairs each name with its handler; a loop cannot.
  return Object.fromEntries(handlers) as unknown as Pick<Handlers, ActionEndpointName>
}
