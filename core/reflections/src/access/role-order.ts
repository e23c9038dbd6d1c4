import { Role } from '@parley/contracts'

/** Whether a role has at least the privileges of another; the highest role comes first in the list. */
export const isAtLeast = (role: Role, least: Role): boolean =>
  Role.options.indexOf(role) <= Role.options.indexOf(least)

/** A person's role in a session: the lower of the role at its start and the role now. A visitor stays a guest. */
export function pickLowerRole(then: Role, now: Role | undefined): Role | undefined {
  if (then === 'guest') return 'guest'
  if (!now) return undefined
  return isAtLeast(now, then) ? then : now
}
