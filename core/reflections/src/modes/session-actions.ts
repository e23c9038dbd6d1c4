import type { Audience, Role, SessionMode, VoiceAction } from '@parley/contracts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'

type Grant = Parameters<typeof resolveAllowedActions>[0]

/** The actions of a session. Off the record it stores nothing, so it only reads. */
export function sessionActions(
  session: Grant & { readonly ingestion: ReflectionSession['ingestion'] },
): readonly VoiceAction[] {
  const allowed = resolveAllowedActions(session)
  return session.ingestion === 'off-record' ? allowed.filter(leavesNothing) : allowed
}

const leavesNothing = (action: VoiceAction): boolean => action === 'retrieve-context'

const READ = ['retrieve-context'] as const
const WRITE = [...READ, 'request-source-ingest', 'propose-fact-correction'] as const

const BY_ROLE: Readonly<Record<Role, readonly VoiceAction[]>> = {
  owner: WRITE,
  admin: WRITE,
  operator: WRITE,
  viewer: READ,
  guest: READ,
}

interface SessionGrant {
  readonly mode: SessionMode
  readonly role: Role
  readonly audience: Audience
}

/** The actions of a session's agent. The model sees them, and the server enforces them at every call. */
export const resolveAllowedActions = ({ mode, role, audience }: SessionGrant): readonly VoiceAction[] =>
  mode === 'interview' || audience === 'public' ? READ : BY_ROLE[role]
