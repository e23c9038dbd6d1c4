import { z } from 'zod'
import { Agent } from './agent.ts'
import { PersonId, SessionId, TurnId } from './ids.ts'
import { SessionContextSchema } from './session-context.ts'
import { ToolGrant } from './tool-grant.ts'

export const Channel = z.enum(['text', 'voice'])
export type Channel = z.infer<typeof Channel>

export const SessionStatus = z.enum(['active', 'ended'])
export type SessionStatus = z.infer<typeof SessionStatus>

export const StartedOrFailed = z.enum([...SessionStatus.options, 'failed'])

/** A turn that has not come to its end: it runs, waits for a person in no process, or its process died. */
export const OpenTurn = z.object({ turnId: TurnId, state: z.enum(['running', 'waiting', 'interrupted']) })
export type OpenTurn = z.infer<typeof OpenTurn>

/** What one model has cost a session. Money in micro-cents; steps whose price is not known are counted apart. */
export const ModelCost = z.object({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  microcents: z.int().min(0),
  unpricedSteps: z.int().min(0).optional(),
})
export type ModelCost = z.infer<typeof ModelCost>

/** By `provider/model`. */
export const SessionCosts = z.record(z.string(), ModelCost)
export type SessionCosts = z.infer<typeof SessionCosts>

/** A session as it is kept: what was settled at its start, and what a list shows of it. */
export const AgentSessionSchema = z.object({
  id: SessionId,
  ownerId: PersonId,
  channel: Channel,
  status: SessionStatus,
  title: z.string().optional(),
  agentSlug: z.string(),
  agentSnapshot: Agent,
  context: SessionContextSchema,
  messageCount: z.int().min(0),
  costs: SessionCosts,
  /** What its person allowed for as long as it lasts. */
  grants: z.array(ToolGrant),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type AgentSession = z.infer<typeof AgentSessionSchema>
