import { Role } from '@parley/contracts'

/** What somebody may still be in a session: no more than at its start, no more than now. A visitor has no role to lose. */
export function lowerRole(then: Role, now: Role | undefined): Role | undefined {
  if (then === 'guest') return 'guest'
  if (!now) return undefined
  return Role.options.indexOf(then) > Role.options.indexOf(now) ? then : now
}
