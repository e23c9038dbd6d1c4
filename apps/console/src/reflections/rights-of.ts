import { type Me, type Member, MemberRole } from '@parley/contracts'

/** What a person may do with a reflection, as far as the API tells it. */
export interface Rights {
  /** Known of those who manage it; of others only that they are members. */
  readonly role: MemberRole | undefined
  /** Whether to offer what takes an admin: names, namespaces, publishing, members, removal. */
  readonly mayManage: boolean
}

/** Members are told to admins and above alone, so who gets to read them is one. */
export function rightsOf(me: Me, members: readonly Member[] | undefined): Rights {
  if (me.role === 'owner') return { role: 'owner', mayManage: true }
  const role = members?.find(({ personId }) => personId === me.personId)?.role
  return { role, mayManage: role !== undefined && MANAGERS.has(role) }
}

const MANAGERS: ReadonlySet<MemberRole> = new Set(['owner', 'admin'])

/** The roles that somebody in this role may give and take, highest first. */
export const rolesUpTo = (role: MemberRole | undefined): readonly MemberRole[] =>
  role === undefined ? [] : MemberRole.options.slice(MemberRole.options.indexOf(role))
