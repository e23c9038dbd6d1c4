import { type ReflectionSessions, createReflectionSessions } from '@parley/reflections'
import { bytesOf, newSessionId, sha256, wait } from '../node-host.ts'
import type { Services } from '../services.ts'

/** The operations on sessions with reflections, on the services of this server. */
export const composeReflectionSessions = (services: Services): ReflectionSessions =>
  createReflectionSessions({ ...services, newSessionId, sha256 })

/** The services as the rules of `@parley/reflections` take them. */
export const toReflectionHost = (services: Services) => ({
  ...services,
  reflectionSessions: composeReflectionSessions(services),
  newSessionId,
  sha256,
  wait,
  bytesOf,
})
