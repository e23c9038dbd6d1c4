import type { Role } from '@parley/contracts'
import type { MemberReach, ReflectionStore } from '@parley/knowledge'
import type { TokenStore } from '@parley/postgres'
import { lowerRole, type ReflectionSession, type ShareLink, type ShareLinkStore } from '@parley/reflections'

/** Where it is known who somebody is now; `Services` has all of it. */
export interface StandingHost {
  readonly roleOn: TokenStore['roleOn']
  readonly reflections: Pick<ReflectionStore, 'find' | 'memberOf'>
  readonly shareLinks: Pick<ShareLinkStore, 'find'>
}

type Stored = Pick<ReflectionSession, 'reflectionId' | 'personId' | 'shareLinkId' | 'role'>

/**
 * What the person of a session is in it now, never more than at its start. Undefined for who is nobody there any more: a
 * member who was let out or whose tokens are gone, a visitor whose link was no good at that time, anybody once the
 * reflection is removed.
 */
export async function standingOf(
  { reflectionId, personId, shareLinkId, role }: Stored,
  { roleOn, reflections, shareLinks }: StandingHost,
  linkGoodAt = Date.now(),
): Promise<Role | undefined> {
  if (shareLinkId === undefined) {
    const now = await roleOn(reflectionId, personId)
    return now && lowerRole(role, now)
  }
  const [link, reflection] = await Promise.all([shareLinks.find(shareLinkId), reflections.find(reflectionId)])
  return reflection && link && isGood(link, linkGoodAt) ? 'guest' : undefined
}

type Reaching = Pick<ReflectionSession, 'reflectionId' | 'personId' | 'shareLinkId' | 'sessionAudience'>

/** How much the person of a session reaches now; undefined for who reaches everything, and for visitors. */
export async function reachOf(
  { reflectionId, personId, shareLinkId, sessionAudience }: Reaching,
  { reflections }: { readonly reflections: Pick<ReflectionStore, 'memberOf'> },
): Promise<MemberReach | undefined> {
  if (shareLinkId !== undefined || sessionAudience === 'public') return undefined
  return (await reflections.memberOf(reflectionId, personId))?.reach
}

/** Whether what a session was told at its start holds namespaces that its person reaches no more. */
export const isBeyondReach = (
  { namespaces }: Pick<ReflectionSession, 'namespaces'>,
  reach: MemberReach | undefined,
): boolean => reach !== undefined && !namespaces.every((name) => reach.namespaces.includes(name))

const isGood = ({ revokedAt, expiresAt }: ShareLink, at: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || Date.parse(expiresAt) > at)
