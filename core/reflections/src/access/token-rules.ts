import {
  type MemberNamespaces,
  type PersonId,
  PlatformError,
  type Reflection,
  type ReflectionId,
  ROLES,
  Role,
  type SessionId,
  isAtLeast,
} from '@parley/contracts'
import { refuseUnknownNamespace } from './visible-namespaces.ts'

interface TokenCaller {
  readonly personId: PersonId
  readonly role: Role
}

/** The tokens that a caller lists and revokes. The server's owner has all; its admins those of the server; admins of reflections theirs. */
export const createTokenFilter = ({ role: own, personId }: TokenCaller) => ({
  roles: isAtLeast(own, 'admin') ? Role.options.filter((role) => isAtLeast(own, role)) : [],
  ...(own !== 'owner' && { adminId: personId }),
})

const MS_PER_DAY = 86_400_000
const DEFAULT_DAYS = 90
const MAX_DAYS = 366

/** The expiry of a new token in UTC, requested or by default. Throws if it is past or too far ahead. */
export function decideTokenExpiry(requested: string | undefined, now: number): string {
  if (requested === undefined) return new Date(now + DEFAULT_DAYS * MS_PER_DAY).toISOString()
  const at = Date.parse(requested)
  if (at > now && at <= now + MAX_DAYS * MS_PER_DAY) return new Date(at).toISOString()
  throw new PlatformError('validation', {
    message: `expiresAt: must be in the future, at most ${MAX_DAYS} days from now.`,
  })
}

/** How long a page stays signed in. */
export const SIGN_IN_SECONDS = 30 * 24 * 3600

/** A page is signed in no longer than its token is valid, if that ends. */
export const decideSignInExpiry = (tokenUntil: number | undefined, now: number): string =>
  new Date(Math.min(now + SIGN_IN_SECONDS * 1000, tokenUntil ?? Infinity)).toISOString()

interface NewToken {
  readonly role: Role
  readonly reflectionId?: ReflectionId | undefined
}

/**
 * The membership that a new token comes with, and its role on the server. A member has no rights on the server, and an
 * invited creator gives nobody more access than they have.
 */
export function decideTokenAccess({ role, reflectionId }: NewToken, creator: { readonly isInvited?: true }) {
  if (reflectionId === undefined || role === 'guest') return { server: { role } }
  return {
    membership: { reflectionId, role },
    server: { role: 'viewer' as const, ...(creator.isInvited && { isInvited: true as const }) },
  }
}

/** Throws if the namespaces of a new member do not exist, or if the role reads all of them anyway. */
export function checkTokenNamespaces(
  { role, namespaces }: { readonly role: Role; readonly namespaces: MemberNamespaces },
  reflection: Pick<Reflection, 'namespaces'>,
): void {
  refuseNamespaceChoice({ role, namespaces })
  if (namespaces === 'all') return
  refuseUnknownNamespace({ audience: 'private', namespaces }, reflection)
}

/** Throws if namespaces are chosen for a role that reads all of them anyway. */
export function refuseNamespaceChoice({
  role,
  namespaces,
}: {
  readonly role: Role
  readonly namespaces?: MemberNamespaces | undefined
}): void {
  if (namespaces === undefined || namespaces === 'all' || ROLES[role].canBeLimited) return
  throw new PlatformError('validation', {
    message: `namespaces: an ${role} reads all of them. Leave the list out, or choose the role operator or viewer.`,
  })
}

/** Throws if a visitor's token, which is for one session, is used for another one. */
export function refuseOtherSession(own: SessionId, requested: string | undefined): void {
  if (requested === undefined || requested === own) return
  throw new PlatformError('session_not_found', { message: `There is no session ${requested}.` })
}

interface AdminReader {
  isAdminOfAny(personId: PersonId): Promise<boolean>
}

/** Whether the caller administers the server or any reflection. */
export const isAdminAnywhere = async ({ role, personId }: TokenCaller, reflections: AdminReader) =>
  isAtLeast(role, 'admin') || reflections.isAdminOfAny(personId)

export async function refuseNonAdmin(caller: TokenCaller, reflections: AdminReader): Promise<void> {
  if (await isAdminAnywhere(caller, reflections)) return
  throw new PlatformError('forbidden', {
    message: 'This is for owners and admins of a reflection, and for admins of this server.',
  })
}
