import type { PersonId, Role } from '@parley/contracts'
import { expect, test } from 'vitest'
import {
  authenticate,
  type Caller,
  type CallerHost,
  type Entrant,
  isStillAuthorized,
} from './authenticate.ts'
import { hashToken } from './tokens.ts'

const ada: Caller = { personId: 'per_ada' as PersonId, role: 'operator', label: 'Ada' }
const TOKEN = 'parley_made-up'
const JWT = 'made-up.made-up.made-up'
const SUBJECT = hashToken('the subject of a made-up JWT')

const knowing = (hash: Buffer, caller: Caller = ada): CallerHost => ({
  findCaller: async (asked) => (asked.equals(hash) ? caller : undefined),
})
const verifyJwt = async () => ({ subjectHash: SUBJECT, expiresAt: 7 })

test('[A1] a token is known by its hash', async () => {
  const tokenHash = hashToken(TOKEN)
  const entrant = await authenticate(`Bearer ${TOKEN}`, 'viewer', knowing(tokenHash))
  expect(entrant).toStrictEqual({ ...ada, tokenHash })
})

test('[A1] a verified JWT identifies its subject until it expires', async () => {
  const entrant = await authenticate(`Bearer ${JWT}`, 'viewer', { ...knowing(SUBJECT), verifyJwt })
  expect(entrant).toStrictEqual({ ...ada, tokenHash: SUBJECT, until: 7 })
})

test.each<[string, string, CallerHost]>([
  ['a JWT where none are believed', JWT, knowing(hashToken(JWT))],
  ['a JWT that is not verified', JWT, { ...knowing(hashToken(JWT)), verifyJwt: async () => undefined }],
  ['a token where JWTs are believed', TOKEN, { ...knowing(hashToken(TOKEN)), verifyJwt }],
])('[A1] %s is treated as a token', async (_, token, host) => {
  expect(await authenticate(`Bearer ${token}`, 'viewer', host)).toStrictEqual({
    ...ada,
    tokenHash: hashToken(token),
  })
})

test.each<[string, string | undefined, RegExp]>([
  ['no header', undefined, /Send your token/],
  ['an empty header', '', /Send your token/],
  ['another scheme', `Basic ${TOKEN}`, /Send your token/],
  ['a token that is too short', 'Bearer short', /not a valid token/],
  ['an unknown token', 'Bearer parley_another', /Invalid or expired/],
])('[A1] %s is refused', async (_, header, message) => {
  const entrance = authenticate(header, 'guest', knowing(hashToken(TOKEN)))
  await expect(entrance).rejects.toMatchObject({
    code: 'unauthenticated',
    detail: { message: expect.stringMatching(message) },
  })
})

test.each<[Role, string | undefined]>([
  ['guest', undefined],
  ['operator', undefined],
  ['admin', 'forbidden'],
  ['owner', 'forbidden'],
])('[A1] an operator calls a route for a %s', async (access, refusal) => {
  const entrance = authenticate(`Bearer ${TOKEN}`, access, knowing(hashToken(TOKEN)))
  const code = await entrance.then(
    () => undefined,
    (failure: { readonly code: string }) => failure.code,
  )
  expect(code).toBe(refusal)
})

test('[P6] a visitor whose session ended by an unpublish gets that reason', async () => {
  const visitor = knowing(hashToken(TOKEN), { ...ada, role: 'guest', over: 'unpublished' })
  await expect(authenticate(`Bearer ${TOKEN}`, 'guest', visitor)).rejects.toMatchObject({
    code: 'session_ended',
  })
})

const entrant: Entrant = { ...ada, tokenHash: hashToken(TOKEN) }

test.each<[string, Partial<Entrant>, Caller | undefined, boolean]>([
  ['the same person in the same role', {}, ada, true],
  ['a JWT that is good for longer', { until: Date.now() + 60_000 }, ada, true],
  ['a JWT that is over', { until: Date.now() - 1 }, ada, false],
  ['a token that was revoked', {}, undefined, false],
  ['a token of somebody else now', {}, { ...ada, personId: 'per_eve' as PersonId }, false],
  ['another role', {}, { ...ada, role: 'viewer' }, false],
  ['a higher role', {}, { ...ada, role: 'owner' }, false],
  ['a session that ended with an unpublish', {}, { ...ada, over: 'unpublished' }, false],
])('[A2] a caller keeps or loses access: %s', async (_, given, now, expected) => {
  expect(await isStillAuthorized({ ...entrant, ...given }, async () => now)).toBe(expected)
})
