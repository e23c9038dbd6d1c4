import type { AgentSession } from '@parley/contracts'

/** What was settled at a session's start. */
export type SettledSession = Pick<AgentSession, 'id' | 'ownerId' | 'agentSnapshot' | 'context'>
