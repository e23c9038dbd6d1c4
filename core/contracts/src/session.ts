import { z } from 'zod'
import { Agent } from './agent.ts'
import { PersonId, SessionId, TurnId } from './ids.ts'
import { SessionContext } from './session-context.ts'

export const Channel = z.enum(['text', 'voice'])
export type Channel = z.infer<typeof Channel>

export const SessionStatus = z.enum(['active', 'ended'])
export type SessionStatus = z.infer<typeof SessionStatus>

/** A turn that has not come to its end: it runs, waits for a person in no process, or its process died. */
export const OpenTurn = z.object({ turnId: TurnId, state: z.enum(['running', 'waiting', 'interrupted']) })
export type OpenTurn = z.infer<typeof OpenTurn>

/** A session as it is kept: what was settled at its start, and what a list shows of it. */
export const AgentSession = z.object({
  id: SessionId,
  ownerId: PersonId,
  channel: Channel,
  status: SessionStatus,
  title: z.string().optional(),
  agentSlug: z.string(),
  agentSnapshot: Agent,
  context: SessionContext,
  messageCount: z.int().min(0),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type AgentSession = z.infer<typeof AgentSession>
