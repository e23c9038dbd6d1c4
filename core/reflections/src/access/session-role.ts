import {
  type PersonId,
  type Reflection,
  type ReflectionId,
  type Role,
  isAtLeast,
  keepsSessionsOpen,
} from '@parley/contracts'
import type { ReflectionSession } from '../ports/reflection-session-store.ts'
import type { ShareLinkStore } from '../ports/share-link-store.ts'

/** What the current role and reach of a person are read from. */
export interface SessionRoleHost {
  /** The person's role on the reflection now; undefined for non-members and for people without a valid token. */
  readonly findReflectionRole: (reflectionId: ReflectionId, personId: PersonId) => Promise<Role | undefined>
  readonly reflections: ReflectionReader
  readonly shareLinks: Pick<ShareLinkStore, 'find'>
  readonly now: () => number
}

export interface ReflectionReader {
  find(reflectionId: ReflectionId, signal?: AbortSignal): Promise<Reflection | undefined>
  findMember(
    reflectionId: ReflectionId,
    personId: PersonId,
  ): Promise<{ readonly reach?: NamespaceReach } | undefined>
}

/** The namespaces that a member with limited reach may read. */
export interface NamespaceReach {
  readonly namespaces: readonly string[]
  /** Opens just these at the database. */
  readonly capability: Uint8Array
}

type StoredSession = Pick<ReflectionSession, 'reflectionId' | 'personId' | 'shareLinkId' | 'role'>

/**
 * The role that the person of a session has in it now, never higher than at its start. Undefined for a former member, for a
 * visitor whose link was revoked or had expired at `linkCheckedAt`, and for everybody once the reflection is removed.
 */
export async function findCurrentRole(
  { reflectionId, personId, shareLinkId, role }: StoredSession,
  { findReflectionRole, reflections, shareLinks, now }: SessionRoleHost,
  linkCheckedAt = now(),
): Promise<Role | undefined> {
  if (shareLinkId === undefined) {
    const roleNow = await findReflectionRole(reflectionId, personId)
    return roleNow && pickLowerRole(role, roleNow)
  }
  const [link, reflection] = await Promise.all([shareLinks.find(shareLinkId), reflections.find(reflectionId)])
  return reflection && link && keepsSessionsOpen(link, linkCheckedAt) ? 'guest' : undefined
}

/** A person's role in a session: the lower of the role at its start and the role now. A visitor stays a guest. */
export function pickLowerRole(then: Role, now: Role | undefined): Role | undefined {
  if (then === 'guest') return 'guest'
  if (!now) return undefined
  return isAtLeast(now, then) ? then : now
}

type ReachingSession = Pick<
  ReflectionSession,
  'reflectionId' | 'personId' | 'shareLinkId' | 'sessionAudience'
>

/** The reach of the session's person now; undefined for visitors and for members who reach everything. */
export async function findCurrentReach(
  { reflectionId, personId, shareLinkId, sessionAudience }: ReachingSession,
  { reflections }: { readonly reflections: Pick<ReflectionReader, 'findMember'> },
): Promise<NamespaceReach | undefined> {
  if (shareLinkId !== undefined || sessionAudience === 'public') return undefined
  return (await reflections.findMember(reflectionId, personId))?.reach
}

/** Whether the prompt of a session holds namespaces that its person can no longer read. */
export const isBeyondReach = (
  { namespaces }: Pick<ReflectionSession, 'namespaces'>,
  reach: Pick<NamespaceReach, 'namespaces'> | undefined,
): boolean => reach !== undefined && !namespaces.every((name) => reach.namespaces.includes(name))
