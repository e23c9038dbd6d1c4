import { type Handlers, omitUndefined } from './register-endpoints.ts'
import { PlatformError } from '@parley/contracts'
import { createTokenFilter, issueToken } from '@parley/reflections'
import { hashSubject } from '../auth/jwt-verifier.ts'
import { createPerson } from '../auth/tokens.ts'
import type { Services } from '../services.ts'

/** Tokens for other people, each for a new person. */
export function createTokenHandlers(services: Services) {
  const { tokens, jwtIssuer } = services

  return {
    createToken: async (c) => {
      const request = c.req.valid('json')
      const { token, ...person } = createPerson()
      const issued = await issueToken(c.get('caller'), request, person, {
        ...services,
        ...(jwtIssuer && { hashSubject: (subject: string) => hashSubject(jwtIssuer.issuer, subject) }),
      })
      // A person with JWTs gets no token.
      return c.json({ ...issued, ...(request.subject === undefined && { token }) }, 201)
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
