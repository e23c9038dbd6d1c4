import type { AgentSessionRecord } from '@parley/engine'
import type { ReflectionSession } from '@parley/reflections'
import { NOWHERE } from './nowhere.ts'

/** A session of which nothing is here but its row. */
export const recordOfRow = ({
  sessionId,
  personId,
  channel,
  createdAt,
}: ReflectionSession): AgentSessionRecord => ({
  session: {
    id: sessionId,
    ownerId: personId,
    channel,
    status: 'active',
    agentSlug: AGENT.id,
    agentSnapshot: AGENT,
    context: NOWHERE,
    costs: {},
    grants: [],
    messageCount: 0,
    createdAt,
    updatedAt: createdAt,
  },
  lastSequence: 0,
})

/** What its own agent was is not kept. */
const AGENT = { id: 'unknown', model: 'unknown', provider: 'unknown', system_prompt: '' }
