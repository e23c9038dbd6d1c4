import { type MemberRole, PlatformError, type Role } from '@parley/contracts'
import { isAtLeast } from '@parley/reflections'

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
