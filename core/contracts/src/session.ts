import { z } from 'zod'
import { Agent } from './agent.ts'
import { PersonId, SessionId, TurnId } from './ids.ts'
import { strictObject } from './strict-object.ts'

/** Where file tools may reach; narrowest first. */
export const FsScopeTier = z.enum(['sandboxed', 'project', 'full'])
export type FsScopeTier = z.infer<typeof FsScopeTier>

export const chooseNarrowerTier = (one: FsScopeTier, other: FsScopeTier): FsScopeTier =>
  FsScopeTier.options.indexOf(one) < FsScopeTier.options.indexOf(other) ? one : other

/** What happens to a turn that would exceed the session's budget; strictest first. */
export const OnExceed = z.enum(['fail', 'pause_for_approval', 'warn'])

const FilePath = z.string().max(4_096)

const MAX_VARIABLES = 100
const MAX_VARIABLES_LENGTH = 65_536

const Variables = z
  .record(z.string(), z.string())
  .refine((all) => Object.keys(all).length <= MAX_VARIABLES, `at most ${MAX_VARIABLES} variables`)
  .refine(
    (all) => countCharacters(all) <= MAX_VARIABLES_LENGTH,
    `at most ${MAX_VARIABLES_LENGTH} characters in all, the names counted`,
  )

/** A session's situation. Plain text that `session:started` repeats: never a secret. */
export const SessionContextSchema = strictObject({
  workingDir: FilePath.min(1),
  activeFile: FilePath.optional(),
  selection: strictObject({
    file: FilePath,
    startLine: z.int().positive(),
    endLine: z.int().positive(),
  }).optional(),
  gitRef: z.string().max(1_024).optional(),
  fsScopeTier: FsScopeTier.default('sandboxed'),
  variables: Variables.optional(),
})
export type SessionContext = z.infer<typeof SessionContextSchema>

const countCharacters = (all: Readonly<Record<string, string>>): number =>
  Object.entries(all).reduce((sum, [name, value]) => sum + name.length + value.length, 0)

export const Channel = z.enum(['text', 'voice'])
export type Channel = z.infer<typeof Channel>

export const SessionStatus = z.enum(['active', 'ended'])
export type SessionStatus = z.infer<typeof SessionStatus>

export const ListedSessionStatus = z.enum([...SessionStatus.options, 'failed'])

/** A turn without an end: it runs, waits for a person in no process, or its process died. */
export const OpenTurn = z.object({ turnId: TurnId, state: z.enum(['running', 'waiting', 'interrupted']) })
export type OpenTurn = z.infer<typeof OpenTurn>

/** The tokens and micro-cents that one model used in a session. */
export const ModelCost = z.object({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  microcents: z.int().min(0),
  /** Steps with an unknown price. */
  unpricedSteps: z.int().min(0).optional(),
})
export type ModelCost = z.infer<typeof ModelCost>

/** By `provider/model`. */
export const SessionCosts = z.record(z.string(), ModelCost)
export type SessionCosts = z.infer<typeof SessionCosts>

/** A person's permission for the rest of a session: this tool on this target only. */
export const ToolGrant = z.object({
  tool: z.string(),
  target: z.string(),
  /** The state that the target must still have, such as the hash of an MCP tool's schema. */
  pin: z.string().optional(),
})
export type ToolGrant = z.infer<typeof ToolGrant>

/** A session as stored: its fixed parts, and the fields of a list. */
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
  grants: z.array(ToolGrant),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type AgentSession = z.infer<typeof AgentSessionSchema>
