import { type Role, isAtLeast, MemberRole } from '@parley/contracts'

/** Whether a person in this role may do what the other role may. */
export const hasRole = (role: Role | undefined, minRole: Role): boolean =>
  role !== undefined && isAtLeast(role, minRole)

export const isAdmin = (role: Role): boolean => hasRole(role, 'admin')

/** Operators and above decide on tool calls. */
export const mayDecide = (role: Role): boolean => hasRole(role, 'operator')

/** The actions to offer to a person in a reflection. */
export interface Rights {
  readonly role: MemberRole | undefined
  /** Operators and above: add sources, approve patches. */
  readonly mayTeach: boolean
  /** Admins and above: settings, folders, publishing, members, deletion. */
  readonly mayManage: boolean
}

/** Without a role, nothing is offered. */
export const toRights = (role: MemberRole | undefined): Rights => ({
  role,
  mayTeach: hasRole(role, 'operator'),
  mayManage: hasRole(role, 'admin'),
})

/** The roles that a person in this role may assign, highest first. */
export const rolesUpTo = (role: MemberRole | undefined): readonly MemberRole[] =>
  role === undefined ? [] : MemberRole.options.filter((each) => isAtLeast(role, each))
