import type { AgentKind, Audience, SessionMode, Surface } from '@parley/contracts'
import type { ExtraName } from './variable-name.ts'

export interface VariablesFor {
  readonly mode: SessionMode
  readonly audience: Audience
  readonly surface: Surface
  readonly agent: AgentKind
  /** All published namespaces, if a public session sees only some of them. */
  readonly partOf?: readonly string[]
}

const BRIEF = ['reflection_display_name', 'preloaded_evidence', 'reflection_namespaces'] as const
/** The agent for parts has no persona of its own; its part's persona comes as a variable. */
const PART_BRIEF = [...BRIEF, 'reflection_speaking_style', 'reflection_persona_narrative'] as const
const PRIVATE_BRIEF = [...BRIEF, 'creator_name', 'explore_next', 'user_context'] as const
const MEMORY_BRIEF = [...PRIVATE_BRIEF, 'session_recap'] as const

/** The extras of a private session, with and without earlier sessions. */
const PRIVATE: Readonly<Record<Exclude<Surface, 'public'>, readonly ExtraName[]>> = {
  standard: PRIVATE_BRIEF,
  memory: MEMORY_BRIEF,
}

/** With a promoted pack the persona is in the pack. */
export const PERSONA: readonly ExtraName[] = [
  'reflection_speaking_style',
  'reflection_persona_narrative',
  'reflection_capsule_json',
]

/** The optional variables of a session. An interviewer has no persona. */
export function extrasFor({ mode, audience, surface, agent, partOf }: VariablesFor): readonly ExtraName[] {
  if (audience === 'public' || surface === 'public') return agent === 'generic' && partOf ? PART_BRIEF : BRIEF
  const brief = PRIVATE[surface]
  return agent === 'generic' && mode !== 'interview' ? [...brief, ...PERSONA] : brief
}
