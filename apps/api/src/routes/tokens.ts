import { randomBytes } from 'node:crypto'
import { type PersonId, PlatformError, Role } from '@parley/contracts'
import type { TokenReach } from '@parley/postgres'
import type { Api } from '../api.ts'
import { type Caller, hashToken } from '../auth/authenticate.ts'
import { reflectionFor } from '../auth/enter-reflection.ts'
import { isAtLeast } from '../auth/is-at-least.ts'
import { mayChangeMember } from '../auth/may-change-member.ts'
import type { Services } from '../services.ts'
import { present } from './present.ts'
import { CREATE, LIST, REVOKE } from './token-routes-described.ts'

const DAY_MS = 86_400_000
const USUAL_DAYS = 90
const MOST_DAYS = 366

/** Tokens for other people, each for a new person. */
export function tokenRoutes(app: Api, { reflections, tokens }: Services) {
  app.openapi(CREATE, async (c) => {
    const caller = c.get('caller')
    const { label, role, reflectionId, expiresAt: wanted } = c.req.valid('json')
    if (!isAtLeast(caller.role, role)) {
      throw new PlatformError('forbidden', {
        message: `You are ${caller.role} here: you cannot make a token for the role ${role}.`,
      })
    }
    const expiresAt = expiryOf(wanted)
    const personId = `per_${randomBytes(12).toString('hex')}` as PersonId
    if (reflectionId !== undefined) {
      if (role === 'guest') {
        throw new PlatformError('validation', { message: 'role: a guest is no member of a reflection.' })
      }
      const { role: own } = await reflectionFor(caller, reflectionId, reflections)
      if (!isAtLeast(own, 'admin')) {
        throw new PlatformError('forbidden', {
          message: `This needs the role admin on the reflection; you are its ${own}.`,
        })
      }
      mayChangeMember(own, [], { personId, role })
    }
    const token = `parley_${randomBytes(32).toString('base64url')}`
    const { tokenId } = await tokens.create({
      personId,
      label,
      role,
      tokenHash: hashToken(token),
      expiresAt,
      by: caller.personId,
      ...(reflectionId !== undefined && { reflectionId }),
    })
    if (reflectionId !== undefined && role !== 'guest') {
      await reflections.setMember(reflectionId, { personId, role }, caller.personId)
    }
    return c.json({ tokenId, token, personId, label, role, expiresAt }, 201)
  })

  app.openapi(LIST, async (c) => {
    const page = await tokens.list({ ...present(c.req.valid('query')), reach: reachOf(c.get('caller')) })
    return c.json({ ...page, items: [...page.items] }, 200)
  })

  app.openapi(REVOKE, async (c) => {
    const { tokenId } = c.req.valid('param')
    const caller = c.get('caller')
    if (await tokens.revoke(tokenId, reachOf(caller), caller.personId)) return c.body(null, 204)
    throw new PlatformError('not_found', {
      message: `There is no token ${tokenId} that you could revoke. GET /v1/tokens lists those that stand.`,
    })
  })
}

/** The server's owner reaches all; who is no admin of a reflection reaches no token that was made for it. */
const reachOf = ({ role: own, personId }: Caller): TokenReach => ({
  roles: Role.options.filter((role) => isAtLeast(own, role)),
  ...(own !== 'owner' && { adminId: personId }),
})

function expiryOf(wanted: string | undefined): string {
  const now = Date.now()
  if (wanted === undefined) return new Date(now + USUAL_DAYS * DAY_MS).toISOString()
  const at = Date.parse(wanted)
  if (at > now && at <= now + MOST_DAYS * DAY_MS) return new Date(at).toISOString()
  throw new PlatformError('validation', {
    message: `expiresAt: must be a time to come, at most ${MOST_DAYS} days from now.`,
  })
}
