import { type Member, type MemberRole, type PersonId, PlatformError } from '@parley/contracts'
import { isAtLeast } from '@parley/reflections'

interface WantedMember {
  readonly personId: PersonId
  /** Absent where they are to be a member no more. */
  readonly role?: MemberRole
}

/** Nobody gives or takes a rank above their own, and a reflection keeps an owner. Throws where that would not hold. */
export function mayChangeMember(
  own: MemberRole,
  members: readonly Member[],
  { personId, role }: WantedMember,
): void {
  const held = members.find((member) => member.personId === personId)?.role
  const highest = [held, role].find((rank) => rank && !isAtLeast(own, rank))
  if (highest) {
    throw new PlatformError('forbidden', {
      message: `You are ${own} of this reflection: you cannot give or take the role ${highest}.`,
    })
  }
  const isLastOwner = held === 'owner' && members.filter((member) => member.role === 'owner').length === 1
  if (isLastOwner && role !== 'owner') {
    throw new PlatformError('validation', {
      message: 'This is the only owner of the reflection. Make somebody else an owner first.',
    })
  }
}
