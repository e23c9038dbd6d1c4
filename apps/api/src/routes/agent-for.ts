import { type Agent, nearest, PlatformError, type StartSession } from '@parley/contracts'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'

/** The agent that a new session freezes: one the server has, or, for its owner alone, the one that is sent. */
export function agentFor(
  { agent, agentId }: Pick<StartSession, 'agent' | 'agentId'>,
  caller: Caller,
  { agents, defaultAgentId, mcpServers }: Pick<Services, 'agents' | 'defaultAgentId' | 'mcpServers'>,
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
    if (caller.role !== 'owner') {
      throw new PlatformError('forbidden', {
        message: 'Only the owner may send an agent; name one by agentId.',
      })
    }
    refuseUnknownServers(agent, mcpServers)
    return agent
  }
  const agentRef = agentId ?? defaultAgentId
  const found = agents.get(agentRef)
  if (found) return found
  const known = [...agents.keys()].join(', ')
  throw new PlatformError('agent_not_found', {
    message: `There is no agent "${agentRef}". This server has: ${known}.`,
  })
}

/** Refuses an agent that names MCP servers which this server does not have. */
function refuseUnknownServers({ mcp_servers: named = [] }: Agent, known: readonly string[]): void {
  const issues = named.flatMap((server, index) => {
    if (typeof server !== 'string' || known.includes(server)) return []
    const meant = nearest(server, known)
    const has = known.length === 0 ? 'this server has none' : `this server has ${known.join(', ')}`
    const hint = meant === undefined ? has : `did you mean "${meant}"?`
    return [{ path: `agent.mcp_servers.${index}`, message: `there is no MCP server "${server}"; ${hint}` }]
  })
  if (issues.length === 0) return
  const message = issues.map(({ path, message: what }) => `${path}: ${what}`).join('; ')
  throw new PlatformError('validation', { message, issues })
}
