import {
  type ChangeReflection,
  type Member,
  type MemberRole,
  type PersonId,
  PlatformError,
  type Role,
  isAtLeast,
} from '@parley/contracts'

interface MemberChange {
  readonly personId: PersonId
  /** Absent if the member is removed. */
  readonly role?: MemberRole
}

/** Throws unless the caller ranks at least as high as both roles of the member, and the reflection keeps an owner. */
export function checkMemberChange(
  own: MemberRole,
  members: readonly Member[],
  { personId, role }: MemberChange,
): void {
  const current = members.find((member) => member.personId === personId)?.role
  const tooHigh = [current, role].find((rank) => rank && !isAtLeast(own, rank))
  if (tooHigh) {
    throw new PlatformError('forbidden', {
      message: `Your role on this reflection is ${own}: you cannot grant or remove the role ${tooHigh}.`,
    })
  }
  const isLastOwner = current === 'owner' && members.filter((member) => member.role === 'owner').length === 1
  if (isLastOwner && role !== 'owner') {
    throw new PlatformError('validation', {
      message: 'This is the only owner of the reflection. Make another member an owner first.',
    })
  }
}

/** Throws if somebody else than the owner changes voice consent, learning from visitors or approval. */
export function checkReflectionChange(
  role: MemberRole,
  { voice, shareIngestion, conversationApproval }: ChangeReflection,
): void {
  if (role === 'owner') return
  if (voice?.consent || voice?.kind === 'stock') {
    throw createOwnerOnlyError('consent to a voice or mark it as a stock voice. Leave out consent and kind')
  }
  if (shareIngestion !== undefined)
    throw createOwnerOnlyError('change whether the reflection learns from visitors')
  if (conversationApproval !== undefined) {
    throw createOwnerOnlyError('change whether facts from sessions need approval')
  }
}

const createOwnerOnlyError = (action: string) =>
  new PlatformError('forbidden', { message: `Only the owner of the reflection can ${action}.` })

interface TokenCreator {
  readonly onServer: Role
  /** The role on the token's reflection, if the token is for one. */
  readonly onReflection?: MemberRole
}

/** Throws unless the creator is an admin of the server or the reflection and ranks at least as high as the token. */
export function checkTokenRole({ onServer, onReflection }: TokenCreator, role: Role): void {
  const own = onReflection ?? onServer
  if (isAtLeast(own, 'admin') && isAtLeast(own, role)) return
  const scope = onReflection ? 'on this reflection' : 'on this server'
  throw new PlatformError('forbidden', {
    message: isAtLeast(own, 'admin')
      ? `Your role ${scope} is ${own}: you cannot create a token for the role ${role}.`
      : `Your role ${scope} is ${own}: only an admin can create a token.`,
  })
}
