import { type Agent, PlatformError, type StartSession } from '@parley/contracts'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'

/** The agent that a new session freezes: one the server has, or, for its owner alone, the one that is sent. */
export function agentFor(
  { agent, agentId }: Pick<StartSession, 'agent' | 'agentId'>,
  caller: Caller,
  { agents, defaultAgentId }: Pick<Services, 'agents' | 'defaultAgentId'>,
): Agent {
  if (caller.isInvited) {
    throw new PlatformError('forbidden', {
      message:
        'You were invited to a reflection: name it by reflectionId. The agents of this server are for who has a token of the server.',
    })
  }
  if (agent && agentId !== undefined) {
    throw new PlatformError('validation', {
      message: 'Name an agent by agentId, or send one as agent, not both.',
    })
  }
  if (agent) {
    if (caller.role === 'owner') return agent
    throw new PlatformError('forbidden', {
      message: 'Only the owner may send an agent; name one by agentId.',
    })
  }
  const agentRef = agentId ?? defaultAgentId
  const found = agents.get(agentRef)
  if (found) return found
  const known = [...agents.keys()].join(', ')
  throw new PlatformError('agent_not_found', {
    message: `There is no agent "${agentRef}". This server has: ${known}.`,
  })
}
