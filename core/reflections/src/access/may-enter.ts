import type { PersonId, Role } from '@parley/contracts'
import { isAtLeast } from './role-order.ts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import { findCurrentRole, type SessionRoleHost } from './session-role.ts'

/** `speak` includes changing a session, `end` includes removing it. */
export type SessionUse = 'read' | 'speak' | 'end'

interface SessionPerson {
  readonly personId: PersonId
  /** In their own session: their role in it now. In any other: their role on the reflection now. */
  readonly role: Role | undefined
}

type Relation =
  | 'participant'
  /** It was their session; they are no longer a member, or their link no longer works. */
  | 'former_participant'
  | 'admin'
  /** An admin, of a session that is off the record. */
  | 'admin_off_record'
  | 'stranger'

/**
 * Everything said in a session counts as its person's words, so nobody else speaks there. Off the record nobody else reads
 * it either. A former participant may still end or remove their session.
 */
const SESSION_ACCESS: Readonly<Record<SessionUse, readonly Relation[]>> = {
  read: ['participant', 'admin'],
  speak: ['participant'],
  end: ['participant', 'former_participant', 'admin', 'admin_off_record'],
}

type EnteredSession = Pick<ReflectionSession, 'personId' | 'ingestion'>

/** Whether a person may do this to a session with a reflection. */
export const mayEnter = (person: SessionPerson, session: EnteredSession, use: SessionUse): boolean =>
  SESSION_ACCESS[use].includes(relationTo(session, person))

function relationTo({ personId, ingestion }: EnteredSession, person: SessionPerson): Relation {
  if (personId === person.personId) return person.role ? 'participant' : 'former_participant'
  if (!person.role || !isAtLeast(person.role, 'admin')) return 'stranger'
  return ingestion === 'off-record' ? 'admin_off_record' : 'admin'
}

/** The same, with the person's role read now. */
export async function mayEnterSession(
  { personId }: Pick<SessionPerson, 'personId'>,
  session: ReflectionSession,
  use: SessionUse,
  host: SessionRoleHost,
): Promise<boolean> {
  const role =
    session.personId === personId
      ? await findCurrentRole(session, host)
      : await host.roleOn(session.reflectionId, personId)
  return mayEnter({ personId, role }, session, use)
}
