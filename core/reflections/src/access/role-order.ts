import { type Role, isAtLeast } from '@parley/contracts'

/** A person's role in a session: the lower of the role at its start and the role now. A visitor stays a guest. */
export function pickLowerRole(then: Role, now: Role | undefined): Role | undefined {
  if (then === 'guest') return 'guest'
  if (!now) return undefined
  return isAtLeast(now, then) ? then : now
}
