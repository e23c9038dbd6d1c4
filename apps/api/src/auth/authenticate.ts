import { createHash } from 'node:crypto'
import { type PersonId, PlatformError, type Role } from '@parley/contracts'
import { isAtLeast } from './is-at-least.ts'

export interface Caller {
  readonly personId: PersonId
  readonly role: Role
  readonly label: string
}

/** Finds who holds a token, by its hash; undefined where nobody does, or no longer. */
export type FindCaller = (tokenHash: Buffer) => Promise<Caller | undefined>

/** A caller, and by which token they came. */
export interface Entrant extends Caller {
  readonly tokenHash: Buffer
}

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Who calls, if the route's access lets them in. */
export async function authenticate(
  header: string | undefined,
  access: Role,
  find: FindCaller,
): Promise<Entrant> {
  const token = /^Bearer +([\w.~+/=-]{8,512})$/i.exec(header ?? '')?.[1]
  if (!token) {
    const message = header?.startsWith('Bearer ')
      ? 'This is no token of ours: it has too few characters, or others than a token has.'
      : 'Send your token as "Authorization: Bearer <token>".'
    throw new PlatformError('unauthenticated', { message })
  }
  const tokenHash = hashToken(token)
  const caller = await find(tokenHash)
  if (!caller) {
    throw new PlatformError('unauthenticated', { message: 'This token is not valid, or no longer.' })
  }
  if (!isAtLeast(caller.role, access)) {
    throw new PlatformError('forbidden', {
      message: `This needs the role ${access}; your token has ${caller.role}.`,
    })
  }
  return { ...caller, tokenHash }
}

/** Whether a token still stands for the same person in the same role. */
export async function isStillLetIn(
  { tokenHash, personId, role }: Entrant,
  find: FindCaller,
): Promise<boolean> {
  const caller = await find(tokenHash)
  return caller?.personId === personId && caller.role === role
}
