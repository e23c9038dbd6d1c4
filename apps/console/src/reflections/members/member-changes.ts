import type { Member, MemberRole } from '@parley/contracts'
import { rolesUpTo } from '../rights-of.ts'

export interface MemberChanges {
  /** The roles that may be given to this member; empty where theirs cannot be changed. */
  readonly roles: readonly MemberRole[]
  readonly mayRemove: boolean
}

const NONE: MemberChanges = { roles: [], mayRemove: false }

/** Nobody changes who stands above them, and the last owner stays one. */
export function memberChanges(
  own: MemberRole | undefined,
  members: readonly Member[],
  { role }: Member,
): MemberChanges {
  const roles = rolesUpTo(own)
  if (!roles.includes(role)) return NONE
  const isLastOwner = role === 'owner' && members.filter((member) => member.role === 'owner').length === 1
  return isLastOwner ? NONE : { roles, mayRemove: true }
}
