import { MemberRole } from '@parley/contracts'

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
  mayTeach: rolesUpTo(role).includes('operator'),
  mayManage: rolesUpTo(role).includes('admin'),
})

/** The roles that a person in this role may assign, highest first. */
export const rolesUpTo = (role: MemberRole | undefined): readonly MemberRole[] =>
  role === undefined ? [] : MemberRole.options.slice(MemberRole.options.indexOf(role))
