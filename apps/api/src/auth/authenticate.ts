import {
  type PersonId,
  PlatformError,
  type Role,
  type SessionId,
  writeConversationOver,
  isAtLeast,
} from '@parley/contracts'
import { hashToken } from './tokens.ts'
import { isJwt, type VerifyJwt } from './jwt-verifier.ts'

export interface Caller {
  readonly personId: PersonId
  readonly role: Role
  readonly label: string
  /** Set for people who were invited to a reflection and have no other rights on the server. */
  readonly isInvited?: true
  /** Set for a visitor: the session that their token is for. */
  readonly sessionId?: SessionId
  /** Set for a visitor whose session ended, perhaps because sources were unpublished. */
  readonly over?: 'ended' | 'unpublished'
}

/** Finds the person of a token by its hash; undefined for an unknown or revoked token. */
export type FindCaller = (tokenHash: Buffer) => Promise<Caller | undefined>

/** A caller with the token of the request. */
export interface Entrant extends Caller {
  readonly tokenHash: Buffer
  /** The expiry of a JWT, in milliseconds since 1970. */
  readonly until?: number
}

export interface CallerHost {
  readonly findCaller: FindCaller
  /** Absent if the server accepts no JWTs. */
  readonly verifyJwt?: VerifyJwt
}

/** The caller of a request. Throws if their role is too low for the route. */
export async function authenticate(
  header: string | undefined,
  leastRole: Role,
  { findCaller, verifyJwt }: CallerHost,
): Promise<Entrant> {
  const token = /^Bearer +([\w.~+/=-]{8,8192})$/i.exec(header ?? '')?.[1]
  if (!token) {
    const message = header?.startsWith('Bearer ')
      ? 'This is not a valid token: its length or its characters are wrong.'
      : 'Send your token as "Authorization: Bearer <token>".'
    throw new PlatformError('unauthenticated', { message })
  }
  const subject = verifyJwt && isJwt(token) ? await verifyJwt(token) : undefined
  const tokenHash = subject?.subjectHash ?? hashToken(token)
  const caller = await findCaller(tokenHash)
  if (!caller) {
    throw new PlatformError('unauthenticated', { message: 'Invalid or expired token.' })
  }
  if (caller.over) throw new PlatformError('session_ended', { message: OVER[caller.over] })
  if (!isAtLeast(caller.role, leastRole)) {
    throw new PlatformError('forbidden', {
      message: `This needs the role ${leastRole}; yours is ${caller.role}.`,
    })
  }
  return { ...caller, tokenHash, ...(subject && { until: subject.expiresAt }) }
}

const OVER: Record<NonNullable<Caller['over']>, string> = {
  ended: writeConversationOver('. Open the link again to start a new one.'),
  unpublished: writeConversationOver(
    ': its sources are no longer published. Open the link again to start a new one.',
  ),
}

/** Whether a token still belongs to the same person in the same role. */
export async function isStillAuthorized(
  { tokenHash, personId, role, until = Infinity }: Entrant,
  find: FindCaller,
): Promise<boolean> {
  const caller = await find(tokenHash)
  return (
    Date.now() < until && caller?.personId === personId && caller.role === role && caller.over === undefined
  )
}
