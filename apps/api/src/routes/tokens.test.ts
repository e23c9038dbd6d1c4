import { Invitation, type MemberRole, SessionView, TokenPage } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { knowledgeApi } from '../testing/knowledge-api.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
beforeAll(async () => {
  api = await knowledgeApi()
})
afterAll(() => api[Symbol.asyncDispose]())

test('[A2] an admin creates tokens up to their own role, with an expiry', async () => {
  const admin = await api.person('admin')
  expect(Date.parse(admin.expiresAt)).toBeGreaterThan(Date.now())
  const make = (token: string, body: object) =>
    api.call('POST', '/tokens', { token, body: { label: 'x', ...body } })
  expect((await make(admin.token, { role: 'owner' })).problem?.code).toBe('forbidden')
  expect((await make(admin.token, { role: 'admin' })).status).toBe(201)
  const { token: operator } = await api.person('operator')
  expect((await make(operator, { role: 'viewer' })).problem?.code).toBe('forbidden')
  for (const expiresAt of ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z', 'tomorrow']) {
    expect((await make(admin.token, { role: 'viewer', expiresAt })).problem?.code).toBe('validation')
  }
  const { id: reflectionId } = await api.reflection('Not the admin’s')
  expect((await make(admin.token, { role: 'viewer', reflectionId })).problem?.code).toBe(
    'reflection_not_found',
  )
})

test('[A2] tokens up to one’s own role are listed without their secret and revoked at once', async () => {
  const admin = await api.person('admin')
  const viewer = await api.person('viewer')
  const owner = await api.person('owner')
  const { answer } = await api.call('GET', '/tokens?limit=200', { token: admin.token })
  const text = JSON.stringify(answer)
  expect(text).toContain(viewer.tokenId)
  expect(text).not.toContain(viewer.token)
  expect(text).not.toContain(owner.tokenId)
  const revoke = (tokenId: string) => api.call('DELETE', `/tokens/${tokenId}`, { token: admin.token })
  expect((await api.call('GET', '/me', { token: viewer.token })).status).toBe(200)
  expect((await revoke(viewer.tokenId)).status).toBe(204)
  expect((await api.call('GET', '/me', { token: viewer.token })).problem?.code).toBe('unauthenticated')
  expect((await revoke(viewer.tokenId)).problem?.code).toBe('not_found')
  expect((await revoke(owner.tokenId)).problem?.code).toBe('not_found')
})

test('[A2] tokens of a reflection are for its admins, up to their own role, and for the server’s owner', async () => {
  const { id: reflectionId } = await api.reflection()
  const { token: stranger } = await api.person('admin')
  const { token: elsewhere } = await api.person('admin', { reflectionId: (await api.reflection()).id })
  const { token: admin } = await api.person('admin', { reflectionId })
  const { token: operator } = await api.person('operator', { reflectionId })
  const owner = await api.person('owner', { reflectionId })
  const { tokenId } = await api.person('viewer', { reflectionId }, admin)
  const listed = async (token?: string) => {
    const { answer } = await api.call('GET', '/tokens?limit=200', token === undefined ? {} : { token })
    return TokenPage.parse(answer).items
  }
  const isListed = async (id: string, token?: string) =>
    (await listed(token)).some((item) => item.tokenId === id)
  for (const token of [stranger, elsewhere]) expect(await isListed(tokenId, token)).toBe(false)
  expect(await isListed(tokenId, admin)).toBe(true)
  expect(await isListed(owner.tokenId, admin)).toBe(false)
  expect(await isListed(tokenId, owner.token)).toBe(true)
  expect((await listed()).find((item) => item.id === tokenId)).toMatchObject({ role: 'viewer', reflectionId })
  expect((await listed(admin)).every((item) => item.reflectionId === reflectionId)).toBe(true)
  const revoke = (id: string, token: string) => api.call('DELETE', `/tokens/${id}`, { token })
  for (const token of [stranger, elsewhere]) {
    expect((await revoke(tokenId, token)).problem?.code).toBe('not_found')
  }
  expect((await revoke(tokenId, operator)).problem?.code).toBe('forbidden')
  expect((await revoke(owner.tokenId, admin)).problem?.code).toBe('not_found')
  expect((await revoke(tokenId, admin)).status).toBe(204)
})

test.each<MemberRole>(['owner', 'admin'])(
  '[A1] a token that makes somebody %s of a reflection makes them a viewer of the server, and nobody elsewhere',
  async (role) => {
    const [{ id: reflectionId }, { id: otherId }] = [await api.reflection(), await api.reflection()]
    const { answer: others } = await api.call('POST', '/sessions', { body: {} })
    const { sessionId } = SessionView.parse(others)
    const { token, personId } = await api.person(role, { reflectionId })
    expect((await api.call('GET', '/me', { token })).answer).toMatchObject({ personId, role: 'viewer' })
    const { answer } = await api.call('GET', `/reflections/${reflectionId}`, { token })
    expect(answer).toMatchObject({ role })
    expect((await api.call('GET', '/sessions?whose=all', { token })).answer).toEqual({ items: [] })
    const agent = { id: 'mine', provider: 'offline', model: 'offline', system_prompt: 'Be brief.' }
    for (const [code, method, path, body] of [
      ['reflection_not_found', 'GET', `/reflections/${otherId}`],
      ['reflection_not_found', 'POST', '/tokens', { label: 'x', role: 'viewer', reflectionId: otherId }],
      ['forbidden', 'POST', '/tokens', { label: 'x', role: 'viewer' }],
      ['session_not_found', 'GET', `/sessions/${sessionId}`],
      ['session_not_found', 'DELETE', `/sessions/${sessionId}`],
      ['forbidden', 'GET', '/audit'],
      ['forbidden', 'GET', '/health'],
      ['forbidden', 'POST', '/reflections', { displayName: 'Another' }],
      ['forbidden', 'POST', '/sessions', { agent }],
    ] as const) {
      const { problem } = await api.call(method, path, { token, ...(body && { body }) })
      expect([method, path, problem?.code]).toEqual([method, path, code])
    }
  },
)

test.each([
  ['operator', ['unknown']],
  ['admin', ['general']],
] as const)(
  '[A2] a refused token for the role %s and the namespaces %s is not created',
  async (role, namespaces) => {
    const { id: reflectionId } = await api.reflection()
    const label = `refused ${role}`
    const body = { label, role, reflectionId, namespaces }
    expect((await api.call('POST', '/tokens', { body })).problem?.code).toBe('validation')
    const { answer } = await api.call('GET', '/tokens?limit=200')
    expect(JSON.stringify(answer)).not.toContain(label)
  },
)

test('[A2] an invited admin gives nobody more access than they have', async () => {
  const { id: reflectionId } = await api.reflection()
  const body = { label: 'Grace', role: 'admin' }
  const { answer } = await api.call('POST', `/reflections/${reflectionId}/invitations`, { body })
  const [, invited = ''] = new URL(Invitation.parse(answer).url).hash.split('=')
  const { token } = await api.person('operator', { reflectionId }, invited)
  expect((await api.call('GET', '/me', { token })).answer).toMatchObject({ role: 'viewer', isInvited: true })
  expect((await api.call('POST', '/sessions', { token, body: {} })).problem?.code).toBe('forbidden')
})

test.each<[string, object, string]>([
  ['namespaces without their reflection', { role: 'viewer', namespaces: ['general'] }, 'namespaces'],
  ['a reflection for a guest, who is no member', { role: 'guest', reflectionId: 'rfl_any' }, 'reflectionId'],
])('[A2] %s would limit nothing, so no token is created', async (_, fields, path) => {
  const refused = await api.call('POST', '/tokens', { body: { label: 'Unlimited', ...fields } })
  expect(refused.problem).toMatchObject({ code: 'validation', issues: [{ path }] })
  expect(JSON.stringify((await api.call('GET', '/tokens?limit=200')).answer)).not.toContain('Unlimited')
})

test('[A5] the audit log of a reflection comes in pages', async () => {
  const { id } = await api.reflection()
  for (const change of ['publish', 'unpublish']) {
    await api.call('POST', `/reflections/${id}/${change}`, { body: { namespaces: ['general'] } })
  }
  const first = await api.call('GET', `/reflections/${id}/audit?limit=1`)
  const Audit = z.object({ items: z.array(z.object({ what: z.string() })), nextCursor: z.string() })
  const { items, nextCursor } = Audit.parse(first.answer)
  const second = await api.call('GET', `/reflections/${id}/audit?limit=1&cursor=${nextCursor}`)
  expect(items[0]?.what).toBe('unpublished')
  expect(second.answer).toMatchObject({ items: [{ who: 'per_owner', what: 'published' }] })
  expect((await api.call('GET', `/reflections/${id}/audit?cursor=x`)).problem?.code).toBe('validation')
})

test('[A5] the audit log of a reflection has the creation and revocation of its tokens, and by whom', async () => {
  const { id: reflectionId } = await api.reflection()
  const admin = await api.person('admin', { reflectionId })
  const viewer = await api.person('viewer', { reflectionId }, admin.token)
  const revoked = await api.call('DELETE', `/tokens/${viewer.tokenId}`, { token: admin.token })
  expect(revoked.status).toBe(204)
  await api.call('DELETE', `/tokens/${viewer.tokenId}`, { token: admin.token })
  const { answer } = await api.call('GET', `/reflections/${reflectionId}/audit`)
  const Audit = z.object({
    items: z.array(z.object({ who: z.string(), what: z.string(), target: z.string() })),
  })
  const told = Audit.parse(answer).items.filter(({ what }) => what.startsWith('token_'))
  expect(told).toEqual([
    { who: admin.personId, what: 'token_revoked', target: viewer.tokenId },
    { who: admin.personId, what: 'token_minted', target: viewer.tokenId },
    { who: 'per_owner', what: 'token_minted', target: admin.tokenId },
  ])
})

test('[A5] no reflection’s audit log has changes of server tokens', async () => {
  const { id } = await api.reflection()
  const { tokenId } = await api.person('viewer')
  await api.call('DELETE', `/tokens/${tokenId}`)
  expect((await api.call('GET', `/reflections/${id}/audit`)).answer).toEqual({ items: [] })
})
