import type { Handlers } from './handlers.ts'
import { PlatformError, Role } from '@parley/contracts'
import type { TokenReach } from '@parley/postgres'
import { isAtLeast } from '@parley/reflections'
import type { Caller } from '../auth/authenticate.ts'
import { reflectionFor } from '../auth/enter-reflection.ts'
import { hashSubject } from '../auth/jwt-verifier.ts'
import { mayMakeToken } from '../auth/may-change.ts'
import { newPerson } from '../auth/new-person.ts'
import type { Services } from '../services.ts'
import { present } from './present.ts'

const DAY_MS = 86_400_000
const MOST_DAYS = 366

/** Tokens for other people, each for a new person. */
export function tokenHandlers(services: Services) {
  const { reflections, tokens } = services

  return {
    createToken: async (c) => {
      const caller = c.get('caller')
      const {
        label,
        role,
        reflectionId,
        namespaces = 'all',
        expiresAt: wanted,
        subject,
      } = c.req.valid('json')
      const { personId, token, tokenHash, expiresAt: usual } = newPerson()
      const expiresAt = wanted === undefined ? usual : timeToCome(wanted)
      const of = reflectionId && (await reflectionFor(caller, reflectionId, reflections))
      mayMakeToken({ onServer: caller.role, ...(of && { onReflection: of.role }) }, role)
      const subjectHash = subject === undefined ? undefined : await newSubject(subject, services)
      const made = { label, expiresAt, ...(reflectionId !== undefined && { reflectionId }) }
      const isMember = reflectionId !== undefined && role !== 'guest'
      const { tokenId } = await tokens.create({
        ...made,
        personId,
        // Their role on the reflection is in its members; on the server they have no role.
        role: isMember ? 'viewer' : role,
        tokenHash,
        by: caller.personId,
        // Who was invited lets nobody in to more than they have themselves.
        ...(isMember && caller.isInvited && { isInvited: true }),
        ...(subjectHash && { subjectHash }),
      })
      if (isMember) await reflections.setMember(reflectionId, { personId, role, namespaces }, caller.personId)
      const shown = subject === undefined ? { token } : {}
      const reads = isMember ? { namespaces } : {}
      return c.json({ id: tokenId, tokenId, ...shown, personId, role, ...made, ...reads }, 201)
    },

    listTokens: async (c) => {
      const page = await tokens.list({
        ...present(c.req.valid('query')),
        reach: currentReach(c.get('caller')),
      })
      return c.json({ ...page, items: page.items.map((item) => ({ id: item.tokenId, ...item })) }, 200)
    },

    revokeToken: async (c) => {
      const { tokenId } = c.req.valid('param')
      const caller = c.get('caller')
      if (await tokens.revoke(tokenId, currentReach(caller), caller.personId)) return c.body(null, 204)
      throw new PlatformError('not_found', {
        message: `There is no token ${tokenId} that you could revoke. GET /v1/tokens lists those that stand.`,
      })
    },
  } satisfies Partial<Handlers>
}

/** The server's owner reaches all, its admins what is of the server, those of a reflection what was made for it. */
const currentReach = ({ role: own, personId }: Caller): TokenReach => ({
  roles: isAtLeast(own, 'admin') ? Role.options.filter((role) => isAtLeast(own, role)) : [],
  ...(own !== 'owner' && { adminId: personId }),
})

/** The person of a JWT subject that is not known here yet. */
async function newSubject(subject: string, { jwtIssuer, findCaller }: Services): Promise<Buffer> {
  if (!jwtIssuer) {
    throw new PlatformError('validation', {
      message: 'subject: no JWTs are believed here. Set PARLEY_JWT_ISSUER, or leave it out to make a token.',
    })
  }
  const subjectHash = hashSubject(jwtIssuer.issuer, subject)
  const known = await findCaller(subjectHash)
  if (!known) return subjectHash
  throw new PlatformError('validation', {
    message: `subject: is ${known.label} here already, as ${known.role}. Revoke that first.`,
  })
}

function timeToCome(wanted: string): string {
  const now = Date.now()
  const at = Date.parse(wanted)
  if (at > now && at <= now + MOST_DAYS * DAY_MS) return new Date(at).toISOString()
  throw new PlatformError('validation', {
    message: `expiresAt: must be a time to come, at most ${MOST_DAYS} days from now.`,
  })
}
