import { createHash, randomFillSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError } from '@parley/contracts'
import { createIdSource } from '@parley/engine'
import { type ReflectionSessions, type Wait, createReflectionSessions } from '@parley/reflections'
import type { Services } from '../services.ts'

/** Starts, reconnects, forks, ends and removes sessions with reflections, on what this server is composed of. */
export const reflectionSessionsOf = (services: Services): ReflectionSessions =>
  createReflectionSessions({
    ...services,
    defaultAgent() {
      const { agents, defaultAgentId } = services
      const agent = agents.get(defaultAgentId)
      if (agent) return agent
      throw new PlatformError('agent_not_found', { message: `There is no agent ${defaultAgentId}.` })
    },
    newSessionId: () => IDS.sessionId(),
    sha256,
  })

const IDS = createIdSource(randomFillSync)

/** Waits so long, or until the signal aborts. */
export const wait: Wait = (ms, signal) => pause(ms, undefined, { signal }).catch(() => {})

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
