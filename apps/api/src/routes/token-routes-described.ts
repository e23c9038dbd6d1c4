import { createRoute } from '@hono/zod-openapi'
import { PersonId, ReflectionId, Role } from '@parley/contracts'
import { z } from 'zod'
import { isStorable, UNSTORABLE } from '../storable.ts'
import { body, json, problems } from './describe.ts'
import { PageQuery } from './reflection-bodies.ts'

const CreateToken = z.strictObject({
  label: z.string().trim().min(1).max(200).refine(isStorable, UNSTORABLE),
  role: Role,
  /** Of which the person becomes a member, in the same role. */
  reflectionId: ReflectionId.optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
})

const CreatedToken = z.object({
  tokenId: z.string(),
  /** Shown this once: only its hash is kept. */
  token: z.string(),
  personId: PersonId,
  label: z.string(),
  role: Role,
  expiresAt: z.iso.datetime(),
})

const ListedToken = CreatedToken.omit({ token: true }).extend({
  expiresAt: z.iso.datetime().optional(),
  createdAt: z.iso.datetime(),
})

const TokenPage = z.object({ items: z.array(ListedToken), nextCursor: z.string().optional() })

export const CREATE = createRoute({
  method: 'post',
  path: '/v1/tokens',
  summary: 'Make a token for a new person, in at most your own role',
  description: 'It expires after 90 days, unless `expiresAt` names another time within a year.',
  request: { body: body(CreateToken) },
  responses: { 201: json(CreatedToken, 'The token, shown this once'), ...problems },
})

export const LIST = createRoute({
  method: 'get',
  path: '/v1/tokens',
  summary: 'The tokens that stand, of your own rank and below, latest first; never the tokens themselves',
  request: { query: PageQuery },
  responses: { 200: json(TokenPage, 'A page of tokens'), ...problems },
})

export const REVOKE = createRoute({
  method: 'delete',
  path: '/v1/tokens/{tokenId}',
  summary: 'Revoke a token of your own rank or below; from the next request on it is none',
  request: {
    params: z.object({ tokenId: z.string().regex(/^tok_[a-z0-9]{1,60}$/, 'a token id starts with tok_') }),
  },
  responses: { 204: { description: 'It is revoked' }, ...problems },
})
