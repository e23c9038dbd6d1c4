import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'

const ISSUER = 'https://login.example.org'
const AUDIENCE = 'parley'

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']

let api: Awaited<ReturnType<typeof knowledgeApi>>
let key: Key
const closing: (() => unknown)[] = []
beforeAll(async () => {
  const pair = await generateKeyPair('ES256')
  key = pair.privateKey
  const keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] }
  const server = createServer((_, response) => response.end(JSON.stringify(keys)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
  api = await knowledgeApi({ jwtIssuer: { issuer: ISSUER, audience: AUDIENCE, jwksUrl } })
  closing.push(() => api[Symbol.asyncDispose]())
})
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
})

interface Claims {
  readonly sub?: string
  readonly iss?: string
  readonly aud?: string
  readonly exp?: string
  readonly more?: Record<string, unknown>
}

const jwt = async (
  { sub = 'grace', iss = ISSUER, aud = AUDIENCE, exp = '5m', more = {} }: Claims,
  by = key,
) =>
  new SignJWT(more)
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setSubject(sub)
    .setIssuer(iss)
    .setAudience(aud)
    .setExpirationTime(exp)
    .sign(by)

const me = async (token: string) => api.call('GET', '/me', { token })

test('[A1] a JWT identifies a person by its subject; our records decide their role', async () => {
  expect((await me(await jwt({}))).status).toBe(401)
  const made = await api.call('POST', '/tokens', {
    body: { label: 'Grace', role: 'viewer', subject: 'grace' },
  })
  expect(made.answer).not.toHaveProperty('token')
  const claims = { more: { role: 'owner', roles: ['owner'], scope: 'owner' } }
  expect((await me(await jwt(claims))).answer).toMatchObject({ label: 'Grace', role: 'viewer' })
  expect((await api.call('GET', '/tokens', { token: await jwt(claims) })).status).toBe(403)
})

test.each<[string, () => Promise<string>]>([
  ['of another issuer', () => jwt({ iss: 'https://elsewhere.example' })],
  ['for somebody else', () => jwt({ aud: 'another-server' })],
  ['that is over', () => jwt({ exp: '-1m' })],
  ['of a subject that nobody made known', () => jwt({ sub: 'mallory' })],
  ['with another’s signature', async () => jwt({}, (await generateKeyPair('ES256')).privateKey)],
  ['without a signature', async () => `${(await jwt({})).split('.').slice(0, 2).join('.')}.`],
  [
    'signed by a secret that anybody could have',
    () =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .setSubject('grace')
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setExpirationTime('5m')
        .sign(new TextEncoder().encode('made-up-secret-of-32-characters!')),
  ],
])('[A1] a JWT %s is refused', async (_, make) => {
  await api.call('POST', '/tokens', { body: { label: 'Grace', role: 'viewer', subject: 'grace' } })
  expect((await me(await make())).status).toBe(401)
})

test('[A2] a revoked subject loses access at once, and may be added again', async () => {
  const body = { label: 'Hedy', role: 'operator', subject: 'hedy' }
  const made = await api.call('POST', '/tokens', { body })
  const { tokenId } = made.answer as { readonly tokenId: string }
  const token = await jwt({ sub: 'hedy' })
  expect((await me(token)).status).toBe(200)
  expect((await api.call('POST', '/tokens', { body })).problem?.detail).toContain('already belongs to Hedy')
  await api.call('DELETE', `/tokens/${tokenId}`)
  expect((await me(token)).status).toBe(401)
  await api.call('POST', '/tokens', { body: { ...body, role: 'viewer' } })
  expect((await me(token)).answer).toMatchObject({ role: 'viewer' })
})
