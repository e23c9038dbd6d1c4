import { createRoute } from '@hono/zod-openapi'
import { CreatedToken, CreateToken, PageQuery, TokenPage, TokenRef } from '@parley/contracts'
import { storable } from '../storable.ts'
import { body, json, problems } from './describe.ts'

export const CREATE = createRoute({
  method: 'post',
  path: '/v1/tokens',
  summary: 'Make a token for a new person, in at most your own role',
  description:
    'It expires after 90 days, unless `expiresAt` names another time within a year. One with `reflectionId` is for that reflection: ' +
    'its admins make it, in at most their own role there, and its person is a viewer of the server.',
  request: { body: body(storable(CreateToken)) },
  responses: { 201: json(CreatedToken, 'The token, shown this once'), ...problems },
})

export const LIST = createRoute({
  method: 'get',
  path: '/v1/tokens',
  summary: 'The tokens that stand, of your own rank and below, latest first; never the tokens themselves',
  description:
    'Those that were made for a reflection are for its admins, up to their own rank there, and for the owner of the server.',
  request: { query: PageQuery },
  responses: { 200: json(TokenPage, 'A page of tokens'), ...problems },
})

export const REVOKE = createRoute({
  method: 'delete',
  path: '/v1/tokens/{tokenId}',
  summary: 'Revoke a token of your own rank or below; from the next request on it is none',
  request: { params: TokenRef },
  responses: { 204: { description: 'It is revoked' }, ...problems },
})
