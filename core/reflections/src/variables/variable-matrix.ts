import type { AgentKind, Audience, SessionMode, Surface } from '@parley/contracts'

/** Sent with every session and never cut: they identify the session, and prove the origin of a tool call. */
export const FIXED_VARIABLES = [
  'reflection_id',
  'conversation_id',
  'conversation_bind_sig',
  'off_record',
  'actor_type',
  'user_id',
  'allowed_actions',
  'session_access_scope',
] as const

/** The extras: sent if they are known and the session may have them. */
export const EXTRA_VARIABLES = [
  'reflection_display_name',
  'creator_name',
  'reflection_speaking_style',
  'reflection_persona_narrative',
  'reflection_capsule_json',
  'explore_next',
  'session_recap',
  'preloaded_evidence',
  'reflection_namespaces',
  'user_context',
] as const

type FixedName = (typeof FIXED_VARIABLES)[number]
export type ExtraName = (typeof EXTRA_VARIABLES)[number]
export type VariableName = FixedName | ExtraName

export interface VariablesKind {
  readonly mode: SessionMode
  readonly audience: Audience
  readonly surface: Surface
  readonly agent: AgentKind
  /** All published namespaces, if a public session sees only some of them. */
  readonly allPublished?: readonly string[]
}

const PUBLIC_EXTRAS = ['reflection_display_name', 'preloaded_evidence', 'reflection_namespaces'] as const
/** The agent for links to some namespaces gets its persona by variables. */
const PART_EXTRAS = [...PUBLIC_EXTRAS, 'reflection_speaking_style', 'reflection_persona_narrative'] as const
const STANDARD_EXTRAS = [...PUBLIC_EXTRAS, 'creator_name', 'explore_next', 'user_context'] as const
const MEMORY_EXTRAS = [...STANDARD_EXTRAS, 'session_recap'] as const

/** The extras of a private session, with and without earlier sessions. */
const PRIVATE_EXTRAS: Readonly<Record<Exclude<Surface, 'public'>, readonly ExtraName[]>> = {
  standard: STANDARD_EXTRAS,
  memory: MEMORY_EXTRAS,
}

/** For the generic agent only: a promoted pack contains the persona. */
export const PERSONA_EXTRAS: readonly ExtraName[] = [
  'reflection_speaking_style',
  'reflection_persona_narrative',
  'reflection_capsule_json',
]

/** The extras that a session may have. An interviewer has no persona. */
export function listExtras({
  mode,
  audience,
  surface,
  agent,
  allPublished,
}: VariablesKind): readonly ExtraName[] {
  if (audience === 'public' || surface === 'public')
    return agent === 'generic' && allPublished ? PART_EXTRAS : PUBLIC_EXTRAS
  const extras = PRIVATE_EXTRAS[surface]
  return agent === 'generic' && mode !== 'interview' ? [...extras, ...PERSONA_EXTRAS] : extras
}
