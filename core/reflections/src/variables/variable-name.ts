/** Sent with every session, and never cut: who it is, and what binds a call to it. */
export const ALWAYS = [
  'reflection_id',
  'conversation_id',
  'conversation_bind_sig',
  'off_record',
  'actor_type',
  'user_id',
  'allowed_actions',
  'session_access_scope',
] as const

/** Sent when they are known and the session may have them. */
export const EXTRAS = [
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

export type AlwaysName = (typeof ALWAYS)[number]
export type ExtraName = (typeof EXTRAS)[number]
export type VariableName = AlwaysName | ExtraName
