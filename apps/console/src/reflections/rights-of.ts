import { MemberRole } from '@parley/contracts'

/** What to offer to a person in a reflection. */
export interface Rights {
  readonly role: MemberRole | undefined
  /** What takes an operator: sources, and what to say of patches. */
  readonly mayTeach: boolean
  /** What takes an admin: names, namespaces, publishing, members, removal. */
  readonly mayManage: boolean
}

/** By the role that the server tells; nothing is offered where it tells none. */
export const rightsOf = (role: MemberRole | undefined): Rights => ({
  role,
  mayTeach: rolesUpTo(role).includes('operator'),
  mayManage: rolesUpTo(role).includes('admin'),
})

/** The roles that somebody in this role may give and take, highest first. */
export const rolesUpTo = (role: MemberRole | undefined): readonly MemberRole[] =>
  role === undefined ? [] : MemberRole.options.slice(MemberRole.options.indexOf(role))
