import { PlatformError } from '@parley/contracts'
import { type ReflectionSessions, createReflectionSessions } from '@parley/reflections'
import { bytesOf, newSessionId, sha256, wait } from '../node-host.ts'
import type { Services } from '../services.ts'

/** The service for sessions with reflections, on the services of this server. */
export const composeReflectionSessions = (services: Services): ReflectionSessions =>
  createReflectionSessions({
    ...services,
    defaultAgent() {
      const { agents, defaultAgentId } = services
      const agent = agents.get(defaultAgentId)
      if (agent) return agent
      throw new PlatformError('agent_not_found', { message: `There is no agent ${defaultAgentId}.` })
    },
    newSessionId,
    sha256,
  })

/** The services as the rules of `@parley/reflections` take them. Agents may change, so make it for each request. */
export const toReflectionHost = (services: Services) => ({
  ...services,
  reflectionSessions: composeReflectionSessions(services),
  newSessionId,
  sha256,
  wait,
  bytesOf,
})
