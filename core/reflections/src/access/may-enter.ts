import { type PersonId, type Role, isAtLeast } from '@parley/contracts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import { findCurrentRole, type SessionRoleHost } from './session-role.ts'

/** `write` is to send messages, to change and to fork a session; `end` includes removing it. */
export type SessionRight = 'read' | 'write' | 'end'

interface SessionPerson {
  readonly personId: PersonId
  /**
   * In their own session with a reflection: their role in it now. In that of another: their role on the reflection now.
   * For a session without a reflection: their role on the server.
   */
  readonly role: Role | undefined
}

type Relation =
  | 'participant'
  /** It was their session; they are no longer a member, or their link no longer works. */
  | 'former_participant'
  | 'admin'
  /** An admin of the server, of a session without a reflection. */
  | 'server_admin'
  /** An admin, of a session that is off the record. */
  | 'admin_off_record'
  | 'stranger'

/**
 * Everything said in a session with a reflection counts as its person's words, so nobody else speaks there. Off the record
 * nobody else reads a session either. A former participant may still end or remove theirs.
 */
const SESSION_ACCESS: Readonly<Record<SessionRight, readonly Relation[]>> = {
  read: ['participant', 'admin', 'server_admin'],
  write: ['participant', 'server_admin'],
  end: ['participant', 'former_participant', 'admin', 'server_admin', 'admin_off_record'],
}

interface AccessedSession {
  readonly personId: PersonId
  readonly partner: 'reflection' | 'agent'
  readonly isOffRecord: boolean
}

/** Whether a person may do this to a session. */
export const mayEnter = (person: SessionPerson, session: AccessedSession, access: SessionRight): boolean =>
  SESSION_ACCESS[access].includes(findRelation(session, person))

function findRelation({ personId, partner, isOffRecord }: AccessedSession, person: SessionPerson): Relation {
  if (personId === person.personId) return person.role ? 'participant' : 'former_participant'
  if (!person.role || !isAtLeast(person.role, 'admin')) return 'stranger'
  if (isOffRecord) return 'admin_off_record'
  return partner === 'agent' ? 'server_admin' : 'admin'
}

/** The same for a session with a reflection, with the person's role read now. */
export async function mayEnterSession(
  { personId }: Pick<SessionPerson, 'personId'>,
  session: ReflectionSession,
  access: SessionRight,
  host: SessionRoleHost,
): Promise<boolean> {
  const role =
    session.personId === personId
      ? await findCurrentRole(session, host)
      : await host.findReflectionRole(session.reflectionId, personId)
  const isOffRecord = session.ingestion === 'off-record'
  return mayEnter(
    { personId, role },
    { personId: session.personId, partner: 'reflection', isOffRecord },
    access,
  )
}
