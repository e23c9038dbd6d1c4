import { type Handlers, omitUndefined } from './handlers.ts'
import { PlatformError } from '@parley/contracts'
import {
  checkTokenNamespaces,
  checkTokenRole,
  decideTokenAccess,
  decideTokenExpiry,
  enterReflection,
  createTokenFilter,
} from '@parley/reflections'
import { hashSubject } from '../auth/jwt-verifier.ts'
import { createPerson } from '../auth/tokens.ts'
import type { Services } from '../services.ts'

/** Tokens for other people, each for a new person. */
export function createTokenHandlers(services: Services) {
  const { reflections, tokens } = services

  return {
    createToken: async (c) => {
      const caller = c.get('caller')
      const {
        label,
        role,
        reflectionId,
        namespaces = 'all',
        expiresAt: requested,
        subject,
      } = c.req.valid('json')
      const { personId, token, tokenHash } = createPerson()
      const expiresAt = decideTokenExpiry(requested, services.now())
      const entered = reflectionId && (await enterReflection(caller, reflectionId, reflections))
      checkTokenRole({ onServer: caller.role, ...(entered && { onReflection: entered.role }) }, role)
      const { membership, server } = decideTokenAccess({ role, reflectionId }, caller)
      if (membership && entered) checkTokenNamespaces({ role, namespaces }, entered.reflection)
      const subjectHash = subject === undefined ? undefined : await hashNewSubject(subject, services)
      const by = caller.personId
      const created = { personId, label, expiresAt }
      const stored = { ...created, ...server, tokenHash, ...(subjectHash && { subjectHash }) }
      const tokenId = membership
        ? await reflections.createMemberToken(
            membership.reflectionId,
            { ...stored, role: membership.role, namespaces },
            by,
          )
        : (await tokens.create({ ...stored, by })).tokenId
      const shown = subject === undefined ? { token } : {}
      const reads = membership ? { reflectionId: membership.reflectionId, namespaces } : {}
      return c.json({ id: tokenId, tokenId, ...shown, ...created, role, ...reads }, 201)
    },

    listTokens: async (c) => {
      const page = await tokens.list({
        ...omitUndefined(c.req.valid('query')),
        reach: createTokenFilter(c.get('caller')),
      })
      return c.json({ ...page, items: page.items.map((item) => ({ id: item.tokenId, ...item })) }, 200)
    },

    revokeToken: async (c) => {
      const { tokenId } = c.req.valid('param')
      const caller = c.get('caller')
      if (await tokens.revoke(tokenId, createTokenFilter(caller), caller.personId)) return c.body(null, 204)
      throw new PlatformError('not_found', {
        message: `There is no token ${tokenId} that you can revoke. GET /v1/tokens lists them.`,
      })
    },
  } satisfies Partial<Handlers>
}

/** The hash of a JWT subject. Throws if the subject has a person already. */
async function hashNewSubject(subject: string, { jwtIssuer, findCaller }: Services): Promise<Buffer> {
  if (!jwtIssuer) {
    throw new PlatformError('validation', {
      message:
        'subject: this server accepts no JWTs. Set PARLEY_JWT_ISSUER, or leave it out to create a token.',
    })
  }
  const subjectHash = hashSubject(jwtIssuer.issuer, subject)
  const known = await findCaller(subjectHash)
  if (!known) return subjectHash
  throw new PlatformError('validation', {
    message: `subject: already belongs to ${known.label} with the role ${known.role}. Revoke that token first.`,
  })
}
