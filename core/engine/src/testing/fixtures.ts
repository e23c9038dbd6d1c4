import type { Agent, AgentSession, PersonId, SessionId } from '@parley/contracts'
import type { StoredEvent } from '../ports/session-store.ts'
import { createIdSource, type IdSource } from '../ports/id-source.ts'
import type { SessionLimits } from '../turn/turn.ts'

/** Ids that are unique across test processes, since stores outlive them. */
export const testIds = (): IdSource =>
  createIdSource((bytes) => bytes.forEach((_, place) => (bytes[place] = Math.random() * 256)))

export const testAgent: Agent = {
  id: 'helper',
  model: 'scripted',
  provider: 'test',
  system_prompt: 'Be brief.',
}

/** As where nothing else is said, with turns that may be long. */
export const testLimits: SessionLimits = {
  maxTurns: 50,
  maxToolTurns: 25,
  maxMessages: 200,
  autoCompact: true,
  compactThreshold: 0.8,
  onExceed: 'fail',
}

export const testOwner = 'per_owner' as PersonId

/** A session as it is created, with its first event. */
export function newSession(
  id: SessionId,
  at: string,
  given: Partial<AgentSession> = {},
): [AgentSession, StoredEvent] {
  const session: AgentSession = {
    id,
    ownerId: testOwner,
    channel: 'text',
    status: 'active',
    agentSlug: testAgent.id,
    agentSnapshot: testAgent,
    context: { workingDir: '/home/ada/notes', fsScopeTier: 'sandboxed' },
    costs: {},
    grants: [],
    messageCount: 0,
    createdAt: at,
    updatedAt: at,
    ...given,
  }
  return [session, { sequenceNumber: 1, timestamp: at, body: { type: 'session:started' } }]
}
