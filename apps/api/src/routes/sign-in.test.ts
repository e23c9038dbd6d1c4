import { afterAll, beforeAll, expect, test } from 'vitest'
import { visitorApi } from '../reflections/visitor-api.fixture.ts'

/** What a browser adds to what a script of our own page asks. */
const OURS = { 'sec-fetch-site': 'same-origin' }
const OWNER = 'made-up-token-of-the-owner'

let api: Awaited<ReturnType<typeof visitorApi>>
beforeAll(async () => {
  api = await visitorApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const call = (method: string, path: string, headers: Record<string, string>, body?: object) =>
  fetch(`${api.url}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

const signIn = async (token: string) => {
  const response = await call('POST', '/v1/sign-in', OURS, { token })
  return { response, cookie: response.headers.getSetCookie()[0] ?? '' }
}

const sent = (cookie: string) => cookie.split(';')[0] ?? ''

test('[A1] a signed-in page has a cookie that no script reads and no other site sends', async () => {
  const { response, cookie } = await signIn(OWNER)
  expect(await response.json()).toMatchObject({ role: 'owner' })
  expect(cookie).toMatch(/; Path=\/v1; HttpOnly; SameSite=Strict$/)
  expect(cookie).not.toContain(OWNER)
  const me = await call('GET', '/v1/me', { ...OURS, cookie: sent(cookie) })
  expect(await me.json()).toMatchObject({
    role: 'owner',
    defaultModel: { provider: expect.any(String), model: expect.any(String) },
  })
})

test('[A1] a wrong token cannot sign in', async () => {
  const { response, cookie } = await signIn('made-up-and-unknown')
  expect(response.status).toBe(401)
  expect(cookie).toBe('')
})

test('[A1] another site’s page cannot use the cookie', async () => {
  const cookie = sent((await signIn(OWNER)).cookie)
  const from = { cookie, 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:9999' }
  expect((await call('POST', '/v1/sessions', from, { channel: 'text' })).status).toBe(403)
  expect((await call('GET', '/v1/me', from)).status).toBe(403)
})

test.each([
  ['says so', { 'sec-fetch-site': 'cross-site' }],
  ['is of another host', { origin: 'http://127.0.0.1:9999' }],
])('[A1] a page that %s can neither sign in nor sign out', async (_, from) => {
  const entering = await call('POST', '/v1/sign-in', from, { token: OWNER })
  expect(entering.status).toBe(403)
  expect(entering.headers.getSetCookie()).toEqual([])
  const cookie = sent((await signIn(OWNER)).cookie)
  expect((await call('DELETE', '/v1/sign-in', { ...from, cookie })).status).toBe(403)
  expect((await call('GET', '/v1/me', { ...OURS, cookie })).status).toBe(200)
})

test('[A2] signing out and revoking the token end the sign-in at once', async () => {
  const { answer } = await api.call('POST', '/tokens', { label: 'Grace', role: 'viewer' })
  const made = answer as { readonly token: string; readonly tokenId: string }
  const [one, two] = [sent((await signIn(made.token)).cookie), sent((await signIn(made.token)).cookie)]
  const statusOf = async (cookie: string) => (await call('GET', '/v1/me', { ...OURS, cookie })).status
  expect([await statusOf(one), await statusOf(two)]).toEqual([200, 200])

  expect((await call('DELETE', '/v1/sign-in', { ...OURS, cookie: one })).status).toBe(204)
  expect([await statusOf(one), await statusOf(two)]).toEqual([401, 200])

  await api.call('DELETE', `/tokens/${made.tokenId}`)
  expect(await statusOf(two)).toBe(401)
})

test('[V17] a visitor’s cookie is valid for one session only', async () => {
  const { token } = await api.share()
  const started = await call('POST', `/v1/r/${token}/sessions`, OURS, { channel: 'text' })
  const told = (await started.json()) as { readonly sessionId: string }
  expect(told).not.toHaveProperty('token')
  const { sessionId } = told
  const [cookie = ''] = started.headers.getSetCookie()
  expect(cookie).toContain(`; Path=/v1/sessions/${sessionId}; HttpOnly; SameSite=Strict`)

  const visitor = { ...OURS, 'x-parley-as': 'visitor' }
  const mine = await call('GET', `/v1/sessions/${sessionId}`, { ...visitor, cookie: sent(cookie) })
  expect(mine.status).toBe(200)
  const both = `${sent(cookie)}; ${sent((await signIn(OWNER)).cookie)}`
  expect((await call('GET', '/v1/sessions', { ...visitor, cookie: both })).status).toBe(403)
  expect((await call('GET', '/v1/sessions', { ...OURS, cookie: both })).status).toBe(200)
})

test('[V17] a program that starts a visit gets a token and no cookie', async () => {
  const { token } = await api.share()
  const started = await call('POST', `/v1/r/${token}/sessions`, {}, { channel: 'text' })
  expect(started.status).toBe(201)
  expect(await started.json()).toHaveProperty('token')
  expect(started.headers.getSetCookie()).toEqual([])
})

test('a page may call only this server and the voice provider', async () => {
  const policy = (await call('GET', '/', {})).headers.get('content-security-policy')
  expect(policy).toContain("connect-src 'self'")
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toMatch(/unsafe|\*/)
})
