import { type PersonId, PlatformError, Role } from '@parley/contracts'
import { isAtLeast } from '../modes/role-order.ts'

interface TokenCaller {
  readonly personId: PersonId
  readonly role: Role
}

/** The tokens that a caller lists and revokes: all for the server's owner, server tokens for its admins, else those of own reflections. */
export const tokenReach = ({ role: own, personId }: TokenCaller) => ({
  roles: isAtLeast(own, 'admin') ? Role.options.filter((role) => isAtLeast(own, role)) : [],
  ...(own !== 'owner' && { adminId: personId }),
})

const DAY_MS = 86_400_000
const MAX_DAYS = 366

/** The requested expiry in UTC. Throws if it is past or too far ahead. */
export function checkTokenExpiry(requested: string, now: number): string {
  const at = Date.parse(requested)
  if (at > now && at <= now + MAX_DAYS * DAY_MS) return new Date(at).toISOString()
  throw new PlatformError('validation', {
    message: `expiresAt: must be in the future, at most ${MAX_DAYS} days from now.`,
  })
}

/** Throws unless the caller administers the server or any reflection. */
export async function refuseNonAdmin(
  { role, personId }: TokenCaller,
  reflections: { runsAny(personId: PersonId): Promise<boolean> },
): Promise<void> {
  if (isAtLeast(role, 'admin') || (await reflections.runsAny(personId))) return
  throw new PlatformError('forbidden', {
    message: 'This is for owners and admins of a reflection, and for admins of this server.',
  })
}
