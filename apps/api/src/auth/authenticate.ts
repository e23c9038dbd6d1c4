import { CONVERSATION_OVER, type PersonId, PlatformError, type Role, type SessionId } from '@parley/contracts'
import { isAtLeast } from '@parley/reflections'
import { hashToken } from './hash-token.ts'
import { isJwt, type VerifyJwt } from './jwt-verifier.ts'

export interface Caller {
  readonly personId: PersonId
  readonly role: Role
  readonly label: string
  /** Of who was invited to a reflection: nothing of the server is theirs but what they are a member of. */
  readonly isInvited?: true
  /** Of a visitor: the one session that their token is for. */
  readonly sessionId?: SessionId
  /** Of a visitor: why that session is over, where they are to be told. */
  readonly over?: 'unpublished'
}

/** Finds who holds a token, by its hash; undefined where nobody does, or no longer. */
export type FindCaller = (tokenHash: Buffer) => Promise<Caller | undefined>

/** A caller, and by which token they came. */
export interface Entrant extends Caller {
  readonly tokenHash: Buffer
  /** Of who came with a JWT: when that is over. */
  readonly until?: number
}

/** How callers are known. */
export interface CallerHost {
  readonly findCaller: FindCaller
  /** Absent where nobody's JWTs are believed. */
  readonly verifyJwt?: VerifyJwt
}

/** Who calls, if the route's access lets them in. */
export async function authenticate(
  header: string | undefined,
  access: Role,
  { findCaller, verifyJwt }: CallerHost,
): Promise<Entrant> {
  const token = /^Bearer +([\w.~+/=-]{8,8192})$/i.exec(header ?? '')?.[1]
  if (!token) {
    const message = header?.startsWith('Bearer ')
      ? 'This is no token of ours: it has too few characters, or others than a token has.'
      : 'Send your token as "Authorization: Bearer <token>".'
    throw new PlatformError('unauthenticated', { message })
  }
  const subject = verifyJwt && isJwt(token) ? await verifyJwt(token) : undefined
  const tokenHash = subject?.subjectHash ?? hashToken(token)
  const caller = await findCaller(tokenHash)
  if (!caller) {
    throw new PlatformError('unauthenticated', { message: 'This token is not valid, or no longer.' })
  }
  if (caller.over) throw new PlatformError('session_ended', { message: OVER[caller.over] })
  if (!isAtLeast(caller.role, access)) {
    throw new PlatformError('forbidden', {
      message: `This needs the role ${access}; your token has ${caller.role}.`,
    })
  }
  return { ...caller, tokenHash, ...(subject && { until: subject.expiresAt }) }
}

const OVER: Record<NonNullable<Caller['over']>, string> = {
  unpublished: `${CONVERSATION_OVER}: something that it could tell of is no longer published. Open the link again to start another one.`,
}

/** Whether a token still stands for the same person in the same role. */
export async function isStillAuthorized(
  { tokenHash, personId, role, until = Infinity }: Entrant,
  find: FindCaller,
): Promise<boolean> {
  const caller = await find(tokenHash)
  return (
    Date.now() < until && caller?.personId === personId && caller.role === role && caller.over === undefined
  )
}
