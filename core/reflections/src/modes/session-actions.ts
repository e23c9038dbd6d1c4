import { type Audience, type Role, type SessionMode, VoiceAction } from '@parley/contracts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'

type Grant = Parameters<typeof resolveAllowedActions>[0]

/** The actions of a session. Off the record it stores nothing, so it only reads. */
export function sessionActions(
  session: Grant & { readonly ingestion: ReflectionSession['ingestion'] },
): readonly VoiceAction[] {
  const allowed = resolveAllowedActions(session)
  return session.ingestion === 'off-record' ? allowed.filter(isReadOnly) : allowed
}

const EFFECTS: Readonly<Record<VoiceAction, 'reads' | 'stores'>> = {
  'retrieve-context': 'reads',
  'request-source-ingest': 'stores',
  'propose-fact-correction': 'stores',
}

export const isReadOnly = (action: VoiceAction): boolean => EFFECTS[action] === 'reads'

/** The actions of the public, of interviews and of people who may only read. */
export const READ: readonly VoiceAction[] = VoiceAction.options.filter(isReadOnly)
const WRITE: readonly VoiceAction[] = VoiceAction.options

/** A record with one value for each action. */
export const recordByAction = <Value>(
  toValue: (action: VoiceAction) => Value,
): Readonly<Record<VoiceAction, Value>> =>
  Object.fromEntries(VoiceAction.options.map((action) => [action, toValue(action)])) as Record<
    VoiceAction,
    Value
  >

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
