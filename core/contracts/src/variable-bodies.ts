import { z } from 'zod'
import { ErrorCode } from './error-code.ts'
import { Role } from './role.ts'
import { Channel } from './session.ts'
import { LinkId } from './share-link.ts'
import { strictObject } from './strict-object.ts'
import { Audience, SessionMode, Surface, VoiceAction } from './voice.ts'
import { PackKind } from './voice-artifacts.ts'
import { SessionWarning } from './voice-bodies.ts'

/** What all variables of a session may come to, in UTF-16 units. */
export const VARIABLES_BUDGET = 10_000

/** Who speaks: an agent that holds the promoted pack, or one that takes its persona from variables. */
export const AgentKind = z.enum(['own', 'generic'])
export type AgentKind = z.infer<typeof AgentKind>

/** A session that is only thought of, to see what it would be told. */
export const LookAtVariables = strictObject({
  mode: SessionMode.default('reflection'),
  audience: Audience.default('private'),
  /** In private your own where absent, in public that of a guest. */
  role: Role.optional(),
  channel: Channel.default('voice'),
  /** In private: as one who comes for the first time, or who was here before. As it is with you where absent. */
  surface: Surface.exclude(['public']).optional(),
  offRecord: z.boolean().default(false),
  /** Of a spoken private session: as if this one spoke. */
  agent: AgentKind.optional(),
  /** In public: the link that a visitor comes by. */
  linkId: LinkId.optional(),
  /** As if there were less room. */
  budget: z.int().min(0).max(VARIABLES_BUDGET).default(VARIABLES_BUDGET),
})
export type LookAtVariables = z.infer<typeof LookAtVariables>

/** What becomes of a variable on its way to a session. */
export const VariableFate = z.enum([
  'sent',
  'cut',
  /** Nothing of it fitted. */
  'dropped',
  /** The session may have it, and nothing is known. */
  'unknown',
  /** It could not be loaded in time. */
  'missed',
  /** Not for such a session. */
  'withheld',
])
export type VariableFate = z.infer<typeof VariableFate>

export const LookedVariable = z.strictObject({
  name: z.string(),
  fate: VariableFate,
  why: z.string(),
  /** What is cut first has 0; absent where it is neither cut nor ranked. */
  rank: z.int().min(0).optional(),
  isCuttable: z.boolean(),
  /** What is sent of it. */
  value: z.string(),
  /** How long it would be without a budget. */
  whole: z.int().min(0),
})
export type LookedVariable = z.infer<typeof LookedVariable>

const Speaker = z.strictObject({
  agent: AgentKind,
  /** At the provider; absent where it is made when somebody needs it, and in writing, where there is none. */
  agentId: z.string().optional(),
  /** Absent where the persona comes from variables, and with an interviewer, who is nobody's. */
  packKind: PackKind.optional(),
  /** What would have to be done first, or why it is not the reflection's own. */
  note: z.string().optional(),
})

const Allowed = z.strictObject({
  kind: z.literal('allowed'),
  mode: SessionMode,
  audience: Audience,
  surface: Surface,
  role: Role,
  actions: z.array(VoiceAction),
  ingestion: z.enum(['ingest', 'keep-only', 'off-record']),
  namespaces: z.array(z.string()),
  speaker: Speaker,
})

const Refused = z.strictObject({
  kind: z.literal('refused'),
  code: ErrorCode,
  message: z.string(),
  /** What is missing, or differs. */
  because: z.array(z.string()),
})

export const VariablesPlan = z.discriminatedUnion('kind', [Allowed, Refused])

/** What such a session would be, and be told. Nothing was started, and the provider was not asked. */
export const VariablesLook = z.strictObject({
  plan: VariablesPlan,
  /** None where it is refused. */
  variables: z.array(LookedVariable),
  budget: z.strictObject({
    most: z.int().min(0),
    /** Without a budget. */
    wanted: z.int().min(0),
    used: z.int().min(0),
    /** What can never be cut is too long by itself: no session would start. */
    isOver: z.boolean(),
  }),
  warnings: z.array(SessionWarning),
})
export type VariablesLook = z.infer<typeof VariablesLook>

/** What an interview would ask about, in order. */
export const ExploreNext = z.object({ items: z.array(z.string()) })
export type ExploreNext = z.infer<typeof ExploreNext>
