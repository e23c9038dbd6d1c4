import { Invitation, Me, Member, type MemberRole, ReflectionPage } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { knowledgeApi } from '../testing/knowledge-api.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
beforeAll(async () => {
  api = await knowledgeApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const invite = (reflectionId: string, role: string, token?: string, label = 'Grace') =>
  api.call('POST', `/reflections/${reflectionId}/invitations`, {
    ...(token !== undefined && { token }),
    body: { label, role },
  })

const invited = async (reflectionId: string, role: MemberRole, by?: string) => {
  const made = Invitation.parse((await invite(reflectionId, role, by)).answer)
  return { ...made, token: new URL(made.url).hash.replace('#token=', '') }
}

const codeFor = async (token: string, method: string, path: string, body?: object) =>
  (await api.call(method, path, { token, ...(body && { body }) })).problem?.code

const members = async (id: string) =>
  z.object({ items: z.array(Member) }).parse((await api.call('GET', `/reflections/${id}/members`)).answer)
    .items

const Audit = z.object({ items: z.array(z.object({ who: z.string(), what: z.string() })) })

const audited = async (id: string) => {
  const { items } = Audit.parse((await api.call('GET', `/reflections/${id}/audit`)).answer)
  return items.map(({ who, what }) => `${who} ${what}`)
}

const newLink = async (id: string, personId: string, by?: string) =>
  api.call('POST', `/reflections/${id}/members/${personId}/link`, {
    ...(by !== undefined && { token: by }),
    body: {},
  })

/** Owner of a reflection, and nobody in particular on the server. */
async function ownerOf(reflectionId: string) {
  const { personId, token } = await api.person('viewer')
  await api.call('PUT', `/reflections/${reflectionId}/members`, { body: { personId, role: 'owner' } })
  return token
}

test('[A2] who is invited is a member of that reflection, and nobody else anywhere', async () => {
  const { id } = await api.reflection()
  const { id: otherId } = await api.reflection('Not theirs')
  const { token, personId, url, expiresAt } = await invited(id, 'owner', await ownerOf(id))
  expect(url).toBe(`${api.url}/reflections/${id}#token=${token}`)
  const me = Me.parse((await api.call('GET', '/me', { token })).answer)
  expect(me).toEqual({ personId, label: 'Grace', role: 'viewer', isInvited: true })
  const { items } = ReflectionPage.parse((await api.call('GET', '/reflections', { token })).answer)
  expect(items.map((reflection) => [reflection.id, reflection.role])).toEqual([[id, 'owner']])
  expect(await members(id)).toContainEqual({
    personId,
    label: 'Grace',
    role: 'owner',
    namespaces: 'all',
    invitedUntil: expiresAt,
  })
  expect(
    (await api.call('PATCH', `/reflections/${id}`, { token, body: { displayName: 'Ada' } })).status,
  ).toBe(200)

  expect(await codeFor(token, 'GET', `/reflections/${otherId}`)).toBe('reflection_not_found')
  for (const [method, path, body] of [
    ['POST', '/tokens', { label: 'More', role: 'viewer' }],
    ['POST', '/reflections', { displayName: 'Another' }],
    ['GET', '/health'],
    ['GET', '/audit'],
    ['GET', '/approvals'],
    ['POST', '/sessions', {}],
    ['POST', '/sessions', { agentId: 'assistant' }],
  ] as const) {
    expect([path, await codeFor(token, method, path, body)]).toEqual([path, 'forbidden'])
  }
})

test.each<[string, MemberRole, MemberRole, string | undefined]>([
  ['an owner invites an owner', 'owner', 'owner', undefined],
  ['an admin invites an admin', 'admin', 'admin', undefined],
  ['an admin does not invite an owner', 'admin', 'owner', 'forbidden'],
  ['an operator invites nobody', 'operator', 'viewer', 'forbidden'],
  ['a viewer invites nobody', 'viewer', 'viewer', 'forbidden'],
])('[A1] %s', async (_, own, wanted, refused) => {
  const { id } = await api.reflection()
  const { token } = await invited(id, own)
  expect((await invite(id, wanted, token)).problem?.code).toBe(refused)
  expect((await members(id)).length).toBe(refused === undefined ? 3 : 2)
})

test('[A1] an admin of the server, and of another reflection, invites nobody to this one', async () => {
  const { id } = await api.reflection()
  const { token } = await api.person('admin')
  expect((await invite(id, 'viewer', token)).problem?.code).toBe('reflection_not_found')
})

test.each([
  ['a guest', 'guest', 'Grace'],
  ['nobody', 'viewer', ' '],
  ['a name that turns the line around', 'viewer', 'Grace \u202Erenwo'],
])('%s is not invited', async (_, role, label) => {
  const { id } = await api.reflection()
  expect((await invite(id, role, undefined, label)).problem?.code).toBe('validation')
})

test('[A2] with their membership where they were invited goes what they came with, signed in or not', async () => {
  const [{ id }, { id: otherId }] = [await api.reflection(), await api.reflection()]
  const { token, personId } = await invited(id, 'operator')
  await api.call('PUT', `/reflections/${otherId}/members`, { body: { personId, role: 'viewer' } })
  const ours = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
  const body = JSON.stringify({ token })
  const signedIn = await fetch(`${api.url}/v1/sign-in`, { method: 'POST', headers: ours, body })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const statuses = async () => [
    (await api.call('GET', '/me', { token })).status,
    (await fetch(`${api.url}/v1/me`, { headers: { ...ours, cookie } })).status,
  ]

  await api.call('DELETE', `/reflections/${otherId}/members/${personId}`)
  expect(await statuses()).toEqual([200, 200])
  await api.call('PUT', `/reflections/${otherId}/members`, { body: { personId, role: 'viewer' } })
  await api.call('DELETE', `/reflections/${id}/members/${personId}`)
  expect(await statuses()).toEqual([401, 401])

  const again = { body: { personId, role: 'viewer' } }
  const { problem } = await api.call('PUT', `/reflections/${id}/members`, again)
  expect(problem).toMatchObject({ code: 'validation', detail: expect.stringContaining('Invite them again') })
  expect((await members(id)).map((member) => member.personId)).not.toContain(personId)
})

test('[A2] who was invited goes with the reflection; a token of the server stays', async () => {
  const { id } = await api.reflection()
  const { token } = await invited(id, 'viewer')
  const { token: issued } = await api.person('viewer', { reflectionId: id })
  await api.call('DELETE', `/reflections/${id}`)
  expect((await api.call('GET', '/me', { token })).status).toBe(401)
  expect((await api.call('GET', '/me', { token: issued })).status).toBe(200)
})

test('[A2] who was invited leaves by themselves, and is signed out with that', async () => {
  const { id } = await api.reflection()
  const { token, personId } = await invited(id, 'viewer')
  const leave = (by?: string) =>
    api.call('POST', `/reflections/${id}/leave`, { ...(by !== undefined && { token: by }), body: {} })
  expect((await leave(token)).status).toBe(204)
  expect((await members(id)).map((member) => member.personId)).not.toContain(personId)
  expect((await api.call('GET', '/me', { token })).status).toBe(401)
  expect((await leave()).problem?.detail).toContain('only owner')
})

describe('[A2] a new link for who was invited', () => {
  test('is for the same person, and ends the one before', async () => {
    const { id } = await api.reflection()
    const { token, personId } = await invited(id, 'operator')
    const made = Invitation.parse((await newLink(id, personId)).answer)
    expect(made).toMatchObject({ personId, label: 'Grace', role: 'operator' })
    const renewed = new URL(made.url).hash.replace('#token=', '')
    expect((await api.call('GET', '/me', { token })).status).toBe(401)
    expect(Me.parse((await api.call('GET', '/me', { token: renewed })).answer).personId).toBe(personId)
    expect((await audited(id)).slice(0, 3)).toEqual([
      'per_owner member_invited_again',
      'per_owner token_minted',
      'per_owner token_revoked',
    ])
  })

  test('makes nobody more than they are', async () => {
    const [{ id }, { id: otherId }] = [await api.reflection(), await api.reflection()]
    const { token: admin } = await invited(id, 'admin')
    const { personId: owner } = await invited(id, 'owner')
    expect((await newLink(id, owner, admin)).problem?.code).toBe('forbidden')
    const { personId: elsewhere } = await invited(id, 'viewer')
    await api.call('PUT', `/reflections/${otherId}/members`, { body: { personId: elsewhere, role: 'owner' } })
    expect((await newLink(id, elsewhere, admin)).problem?.code).toBe('validation')
    const { personId: issued } = await api.person('viewer', { reflectionId: id })
    expect((await newLink(id, issued, admin)).problem?.code).toBe('validation')
    expect((await newLink(otherId, elsewhere, admin)).problem?.code).toBe('reflection_not_found')
  })

  test('is made where they were invited, and nowhere that they were added to', async () => {
    const [{ id }, { id: otherId }] = [await api.reflection(), await api.reflection()]
    const { personId } = await invited(id, 'viewer')
    const { token: stranger } = await invited(otherId, 'admin')
    await api.call('PUT', `/reflections/${otherId}/members`, {
      token: stranger,
      body: { personId, role: 'viewer' },
    })
    expect((await newLink(otherId, personId, stranger)).problem?.code).toBe('validation')
    await api.call('DELETE', `/reflections/${id}/members/${personId}`)
    expect((await newLink(otherId, personId, stranger)).problem?.code).toBe('validation')
    expect((await newLink(id, personId)).status).not.toBe(201)
  })
})

test('[A5] invitations and removals are in the audit log', async () => {
  const { id } = await api.reflection()
  const { token, personId: by } = await invited(id, 'admin')
  const { personId } = await invited(id, 'viewer', token)
  await api.call('DELETE', `/reflections/${id}/members/${personId}`, { token })
  expect(await audited(id)).toEqual([
    `${by} token_revoked`,
    `${by} member_removed`,
    `${by} member_namespaces_set`,
    `${by} member_invited_viewer`,
    `${by} token_minted`,
    'per_owner member_invited_admin',
    'per_owner token_minted',
  ])
})
