import type { ReflectionSession } from '@parley/reflections'
import { standingOf, type StandingHost } from '../voice/standing-of.ts'
import type { Caller } from './authenticate.ts'
import { isAtLeast } from './is-at-least.ts'

/** What is done to a session: reading it, saying or changing something in it, ending or removing it. */
export type SessionUse = 'read' | 'speak' | 'end'

/** What a caller is to a session with a reflection. */
type Tie =
  /** It is theirs, and they still are somebody to the reflection. */
  | 'person'
  /** It was theirs, and they no longer are. */
  | 'former'
  /** Admin or owner of the reflection now, or the server's owner. */
  | 'admin'
  /** The same, of one that is off the record. */
  | 'admin_outside'
  | 'stranger'

/**
 * What is said in it counts as its person's, so nobody else speaks there; off the record nobody else reads it either. Who
 * was let out may still take back their words.
 */
const SESSION_ACCESS: Readonly<Record<SessionUse, readonly Tie[]>> = {
  read: ['person', 'admin'],
  speak: ['person'],
  end: ['person', 'former', 'admin', 'admin_outside'],
}

/** Whether a caller may do this to a session with a reflection, as things stand now. */
export async function mayEnterSession(
  caller: Pick<Caller, 'personId'>,
  session: ReflectionSession,
  use: SessionUse,
  host: StandingHost,
): Promise<boolean> {
  return SESSION_ACCESS[use].includes(await tieOf(caller, session, host))
}

async function tieOf(
  { personId }: Pick<Caller, 'personId'>,
  session: ReflectionSession,
  host: StandingHost,
): Promise<Tie> {
  if (session.personId === personId) return (await standingOf(session, host)) ? 'person' : 'former'
  const role = await host.roleOn(session.reflectionId, personId)
  if (!role || !isAtLeast(role, 'admin')) return 'stranger'
  return session.ingestion === 'off-record' ? 'admin_outside' : 'admin'
}
