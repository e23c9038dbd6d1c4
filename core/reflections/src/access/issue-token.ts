import {
  type CreatedToken,
  type CreateToken,
  type PersonId,
  PlatformError,
  type Role,
} from '@parley/contracts'
import type { ReflectionStore } from '@parley/knowledge'
import { checkTokenRole } from './check-changes.ts'
import { type MembershipReader, enterReflection } from './enter-reflection.ts'
import { checkTokenNamespaces, decideTokenAccess, decideTokenExpiry } from './token-rules.ts'

interface TokenIssuer {
  readonly personId: PersonId
  readonly role: Role
  readonly isInvited?: true
}

interface NewPerson {
  readonly personId: PersonId
  readonly tokenHash: Uint8Array
}

interface ServerToken extends NewPerson {
  readonly label: string
  readonly expiresAt: string
  readonly role: Role
  readonly isInvited?: true
  readonly by: PersonId
  readonly subjectHash?: Uint8Array
}

interface IssueHost {
  readonly reflections: MembershipReader & Pick<ReflectionStore, 'createMemberToken'>
  readonly tokens: { create(token: ServerToken): Promise<{ readonly tokenId: string }> }
  findCaller(hash: Uint8Array): Promise<{ readonly label: string; readonly role: Role } | undefined>
  /** Absent if the server accepts no JWTs. */
  readonly hashSubject?: ((subject: string) => Uint8Array) | undefined
  readonly now: () => number
}

/** Creates a token for a new person: a member of a reflection, or a person of the server. Returns it without its secret. */
export async function issueToken(
  issuer: TokenIssuer,
  { label, role, reflectionId, namespaces = 'all', expiresAt: requested, subject }: CreateToken,
  { personId, tokenHash }: NewPerson,
  host: IssueHost,
): Promise<Omit<CreatedToken, 'token'>> {
  const expiresAt = decideTokenExpiry(requested, host.now())
  const entered = reflectionId && (await enterReflection(issuer, reflectionId, host.reflections))
  checkTokenRole({ onServer: issuer.role, ...(entered && { onReflection: entered.role }) }, role)
  const { membership, server } = decideTokenAccess({ role, reflectionId }, issuer)
  if (membership && entered) checkTokenNamespaces({ role, namespaces }, entered.reflection)
  const subjectHash = subject === undefined ? undefined : await hashNewSubject(subject, host)
  const by = issuer.personId
  const created = { personId, label, expiresAt }
  const stored = { ...created, ...server, tokenHash, ...(subjectHash !== undefined && { subjectHash }) }
  const tokenId = membership
    ? await host.reflections.createMemberToken(
        membership.reflectionId,
        { ...stored, role: membership.role, namespaces },
        by,
      )
    : (await host.tokens.create({ ...stored, by })).tokenId
  const reads = membership ? { reflectionId: membership.reflectionId, namespaces } : {}
  return { id: tokenId, tokenId, ...created, role, ...reads }
}

/** The hash of a JWT subject. Throws if the subject has a person already. */
async function hashNewSubject(
  subject: string,
  { hashSubject, findCaller }: Pick<IssueHost, 'hashSubject' | 'findCaller'>,
): Promise<Uint8Array> {
  if (!hashSubject) {
    throw new PlatformError('validation', {
      message:
        'subject: this server accepts no JWTs. Set PARLEY_JWT_ISSUER, or leave it out to create a token.',
    })
  }
  const subjectHash = hashSubject(subject)
  const known = await findCaller(subjectHash)
  if (!known) return subjectHash
  throw new PlatformError('validation', {
    message: `subject: already belongs to ${known.label} with the role ${known.role}. Revoke that token first.`,
  })
}
