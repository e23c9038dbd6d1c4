import {
  type ChangeReflection,
  type Member,
  type MemberRole,
  type PersonId,
  PlatformError,
  type Role,
} from '@parley/contracts'
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

/**
 * What is the owner's alone to say: that a voice may be used, that visitors are learned from, and that nobody has to
 * approve what was said. Throws where it is not.
 */
export function mayChangeReflection(
  role: MemberRole,
  { voice, shareIngestion, conversationApproval }: ChangeReflection,
): void {
  if (role === 'owner') return
  if (voice?.consent || voice?.kind === 'stock') {
    throw onlyOwner(
      'that a voice may be used: by consent, or since it is nobody’s. Leave out consent and kind',
    )
  }
  if (shareIngestion !== undefined) throw onlyOwner('whether what visitors say is learned from')
  if (conversationApproval !== undefined)
    throw onlyOwner('whether facts of what is said in sessions wait for a person')
}

const onlyOwner = (what: string) =>
  new PlatformError('forbidden', { message: `Only the owner of the reflection says ${what}.` })

interface Maker {
  readonly onServer: Role
  /** On the reflection that the token is for, where it is for one. */
  readonly onReflection?: MemberRole
}

/** Tokens are made by admins of what they are for, in at most their own rank there. Throws where that would not hold. */
export function mayMakeToken({ onServer, onReflection }: Maker, role: Role): void {
  const own = onReflection ?? onServer
  if (isAtLeast(own, 'admin') && isAtLeast(own, role)) return
  const of = onReflection ? 'of this reflection' : 'of this server'
  throw new PlatformError('forbidden', {
    message: isAtLeast(own, 'admin')
      ? `You are ${own} ${of}: you cannot make a token for the role ${role}.`
      : `You are ${own} ${of}: a token is made by an admin of what it is for.`,
  })
}
