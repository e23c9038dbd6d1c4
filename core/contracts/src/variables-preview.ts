import { z } from 'zod'
import { Audience, Role, SessionMode, Surface } from './access.ts'
import { AgentAction } from './agent-actions.ts'
import { ErrorCode } from './errors.ts'
import { LinkId } from './ids.ts'
import { Channel } from './session.ts'
import { SessionWarning } from './start-session.ts'
import { strictObject } from './strict-object.ts'
import { PackKind } from './voice-artifacts.ts'

/** The maximum length of all variables of a session, in UTF-16 units. */
export const VARIABLES_BUDGET = 10_000

/** `own`: an agent with the promoted pack. `generic`: one that gets its persona from variables. */
export const AgentKind = z.enum(['own', 'generic'])
export type AgentKind = z.infer<typeof AgentKind>

/** The session whose variables to preview. */
export const PreviewVariables = strictObject({
  mode: SessionMode.default('reflection'),
  audience: Audience.default('private'),
  /** Default: your own for a private session, guest for a public one. */
  role: Role.optional(),
  channel: Channel.default('voice'),
  /** For a private session: a person without or with earlier sessions. Default: as for you. */
  surface: Surface.exclude(['public']).optional(),
  offRecord: z.boolean().default(false),
  /** For a spoken private session: which agent answers. */
  agent: AgentKind.optional(),
  /** For a public session: the visitor's share link. */
  linkId: LinkId.optional(),
  budget: z.int().min(0).max(VARIABLES_BUDGET).default(VARIABLES_BUDGET),
})
export type PreviewVariables = z.infer<typeof PreviewVariables>

/** Whether a session gets a variable. */
export const VariableFate = z.enum([
  'sent',
  'cut',
  /** No part of it fits. */
  'dropped',
  /** The session may have it, but there is no value. */
  'unknown',
  /** It was not loaded in time. */
  'missed',
  /** Not for this kind of session. */
  'withheld',
])
export type VariableFate = z.infer<typeof VariableFate>

export const PreviewedVariable = z.strictObject({
  name: z.string(),
  fate: VariableFate,
  why: z.string(),
  /** Rank 0 is cut first; absent for a variable without a rank. */
  rank: z.int().min(0).optional(),
  isCuttable: z.boolean(),
  /** The part that is sent. */
  value: z.string(),
  /** Its length without a budget. */
  whole: z.int().min(0),
})
export type PreviewedVariable = z.infer<typeof PreviewedVariable>

const PreviewedAgent = z.strictObject({
  agent: AgentKind,
  /** At the provider; absent if it is not created yet, and for a typed session. */
  agentId: z.string().optional(),
  /** Absent for a generic agent and for an interviewer. */
  packKind: PackKind.optional(),
  /** A missing prerequisite, or why this is not the reflection's own agent. */
  note: z.string().optional(),
})

const Allowed = z.strictObject({
  kind: z.literal('allowed'),
  mode: SessionMode,
  audience: Audience,
  surface: Surface,
  role: Role,
  actions: z.array(AgentAction),
  ingestion: z.enum(['ingest', 'keep-only', 'off-record']),
  namespaces: z.array(z.string()),
  speaker: PreviewedAgent,
})

const Refused = z.strictObject({
  kind: z.literal('refused'),
  code: ErrorCode,
  message: z.string(),
  /** The missing or differing parts. */
  because: z.array(z.string()),
})

export const VariablesPlan = z.discriminatedUnion('kind', [Allowed, Refused])

/** The permissions and variables of the session. Nothing was started, and the provider was not called. */
export const VariablesPreview = z.strictObject({
  plan: VariablesPlan,
  /** Empty if the session is refused. */
  variables: z.array(PreviewedVariable),
  budget: z.strictObject({
    most: z.int().min(0),
    /** The length without a budget. */
    wanted: z.int().min(0),
    used: z.int().min(0),
    /** The variables that cannot be cut exceed the budget: no session would start. */
    isOver: z.boolean(),
  }),
  warnings: z.array(SessionWarning),
})
export type VariablesPreview = z.infer<typeof VariablesPreview>

/** The questions of an interview, in order. */
export const ExploreNext = z.object({ items: z.array(z.string()) })
export type ExploreNext = z.infer<typeof ExploreNext>
