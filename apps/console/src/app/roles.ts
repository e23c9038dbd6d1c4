import { type Role, isAtLeast } from '@parley/contracts'

/** Whether a person in this role may do what the other role may. */
export const hasRole = (role: Role | undefined, minRole: Role): boolean =>
  role !== undefined && isAtLeast(role, minRole)

export const isAdmin = (role: Role): boolean => hasRole(role, 'admin')

/** Operators and above decide on tool calls. */
export const mayDecide = (role: Role): boolean => hasRole(role, 'operator')
