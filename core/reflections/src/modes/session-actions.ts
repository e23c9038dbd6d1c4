import { AgentAction, type Audience, type Role, type SessionMode, isReadOnly } from '@parley/contracts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'

type Grant = Parameters<typeof resolveAllowedActions>[0]

/** The actions of a session. Off the record it stores nothing, so it only reads. */
export function sessionActions(
  session: Grant & { readonly ingestion: ReflectionSession['ingestion'] },
): readonly AgentAction[] {
  const allowed = resolveAllowedActions(session)
  return session.ingestion === 'off-record' ? allowed.filter(isReadOnly) : allowed
}

/** The actions of the public, of interviews and of people who may only read. */
export const READ: readonly AgentAction[] = AgentAction.options.filter(isReadOnly)
const WRITE: readonly AgentAction[] = AgentAction.options

const BY_ROLE: Readonly<Record<Role, readonly AgentAction[]>> = {
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
export const resolveAllowedActions = ({ mode, role, audience }: SessionGrant): readonly AgentAction[] =>
  mode === 'interview' || audience === 'public' ? READ : BY_ROLE[role]
