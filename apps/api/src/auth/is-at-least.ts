import { Role } from '@parley/contracts'

/** Whether a role may do all that another may. */
export const isAtLeast = (role: Role, least: Role): boolean =>
  Role.options.indexOf(role) <= Role.options.indexOf(least)
