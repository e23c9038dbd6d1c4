import type { AgentSessionRecord } from '@parley/engine'
import { NO_FOLDER, type ReflectionSession } from '@parley/reflections'

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
    context: NO_FOLDER,
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
