import type { Me } from '@parley/contracts'
import type { Services } from '../services.ts'
import type { Caller } from './authenticate.ts'

/** The caller, as the API describes them to themselves. */
export function toMe(
  { personId, role, label, isInvited }: Caller,
  { agents, defaultAgentId }: Pick<Services, 'agents' | 'defaultAgentId'>,
): Me {
  if (isInvited) return { personId, role, label, isInvited }
  // A guest starts no session with an agent of the server.
  const agent = role === 'guest' ? undefined : agents.get(defaultAgentId)
  return {
    personId,
    role,
    label,
    ...(agent && { defaultModel: { provider: agent.provider, model: agent.model } }),
  }
}
