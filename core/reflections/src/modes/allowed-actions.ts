import type { Audience, Role, SessionMode, VoiceAction } from '@parley/contracts'

const READ = ['retrieve-context'] as const
const WRITE = [...READ, 'request-source-ingest', 'propose-fact-correction'] as const

const BY_ROLE: Readonly<Record<Role, readonly VoiceAction[]>> = {
  owner: WRITE,
  admin: WRITE,
  operator: WRITE,
  viewer: READ,
  guest: READ,
}

export interface SessionGrant {
  readonly mode: SessionMode
  readonly role: Role
  readonly audience: Audience
}

/** What the agent of a session may do: told to the model, and held by the server at every call. */
export const resolveAllowedActions = ({ mode, role, audience }: SessionGrant): readonly VoiceAction[] =>
  mode === 'interview' || audience === 'public' ? READ : BY_ROLE[role]
