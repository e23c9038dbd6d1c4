import { CONVERSATIONS, Reflection, ReflectionPage } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
beforeAll(async () => {
  api = await knowledgeApi()
})
afterAll(() => api[Symbol.asyncDispose]())

describe('[A1] access to a reflection', () => {
  let reflectionId: string
  let tokens: Readonly<Record<string, string>>
  beforeAll(async () => {
    reflectionId = (await api.reflection('Guarded')).id
    tokens = await api.members(reflectionId)
  })

  test('only admins of the server create reflections', async () => {
    const { token: admin } = await api.person('admin')
    const { token: operator } = await api.person('operator')
    const made = await api.reflection('Of an admin', admin)
    expect((await api.call('GET', `/reflections/${made.id}/members`, { token: admin })).answer).toMatchObject(
      {
        items: [{ role: 'owner' }],
      },
    )
    const refused = await api.call('POST', '/reflections', { token: operator, body: { displayName: 'No' } })
    expect(refused.problem?.code).toBe('forbidden')
    const { answer } = await api.call('GET', '/reflections', { token: admin })
    expect(answer).toMatchObject({ items: [{ id: made.id }] })
    expect((await api.call('GET', '/reflections', { token: operator })).answer).toEqual({ items: [] })
  })

  test('everybody sees their own stored role', async () => {
    const path = `/reflections/${reflectionId}`
    for (const role of ['admin', 'operator', 'viewer']) {
      const token = tokens[role] ?? ''
      expect((await api.call('GET', path, { token })).answer).toMatchObject({ id: reflectionId, role })
      const listed = await api.call('GET', '/reflections', { token })
      expect(listed.answer).toMatchObject({ items: [{ id: reflectionId, role }] })
    }
    const said = await api.call('PATCH', path, { token: tokens['admin'] ?? '', body: { role: 'owner' } })
    expect(said.problem?.code).toBe('validation')
    // The owner of the server is one of every reflection, member or not.
    const { token } = await api.person('admin')
    const { id } = await api.reflection('Of somebody else', token)
    expect((await api.call('GET', `/reflections/${id}`)).answer).toMatchObject({ role: 'owner' })
    const all = ReflectionPage.parse((await api.call('GET', '/reflections')).answer)
    expect(all.items.map(({ role }) => role)).toEqual(all.items.map(() => 'owner'))
  })

  test('[A2] nobody grants or removes a role above their own', async () => {
    const { personId } = await api.person('viewer')
    const put = (token: string, role: string, person: string = personId) =>
      api.call('PUT', `/reflections/${reflectionId}/members`, { token, body: { personId: person, role } })
    expect((await put(tokens['admin'] ?? '', 'owner')).problem?.code).toBe('forbidden')
    expect((await put(tokens['admin'] ?? '', 'operator')).answer).toMatchObject({
      personId,
      role: 'operator',
    })
    expect((await put(tokens['admin'] ?? '', 'viewer', 'per_owner')).problem?.code).toBe('forbidden')
    const added = await api.call('POST', `/reflections/${reflectionId}/members`, {
      body: { personId, role: 'admin' },
    })
    expect(added).toMatchObject({ status: 200, answer: { personId, role: 'admin' } })
    const leave = await api.call('DELETE', `/reflections/${reflectionId}/members/per_owner`)
    expect(leave.problem?.detail).toContain('only owner')
    expect((await api.call('DELETE', `/reflections/${reflectionId}/members/${personId}`)).status).toBe(204)
  })
})

const isPublished = ({ answer }: { readonly answer: unknown }) =>
  Reflection.parse(answer).namespaces.find(({ name }) => name === 'work')?.isPublished

describe('reflections', () => {
  test('a reflection is created, changed, listed and removed', async () => {
    const { id } = await api.reflection('Ada')
    const changed = await api.call('PATCH', `/reflections/${id}`, {
      body: { creatorName: 'Ada L.', approval: 'by_person' },
    })
    expect(Reflection.parse(changed.answer)).toMatchObject({
      displayName: 'Ada',
      creatorName: 'Ada L.',
      approval: 'by_person',
    })
    expect((await api.call('GET', `/reflections/${id}`)).answer).toEqual(changed.answer)
    const unnamed = await api.call('PATCH', `/reflections/${id}`, { body: { creatorName: null } })
    expect(Reflection.parse(unnamed.answer)).not.toHaveProperty('creatorName')
    expect((await api.call('DELETE', `/reflections/${id}`)).status).toBe(204)
    expect((await api.call('GET', `/reflections/${id}`)).problem?.code).toBe('reflection_not_found')
  })

  test('namespaces are published and unpublished, all or none, conversations never', async () => {
    const { id } = await api.reflection()
    const added = await api.call('POST', `/reflections/${id}/namespaces`, { body: { name: 'work' } })
    expect(added).toMatchObject({ status: 201, answer: { name: 'work', isPublished: false } })
    const publish = (namespaces: readonly string[], change = 'publish') =>
      api.call('POST', `/reflections/${id}/${change}`, { body: { namespaces } })
    expect((await publish(['work', CONVERSATIONS])).status).toBe(400)
    expect((await publish(['work', 'nowhere'])).status).toBe(400)
    expect(isPublished(await api.call('GET', `/reflections/${id}`))).toBe(false)
    expect(isPublished(await publish(['work']))).toBe(true)
    expect(isPublished(await publish(['work'], 'unpublish'))).toBe(false)
  })

  test.each<[string, string, string, unknown]>([
    ['a name with U+0000', 'POST', '', { displayName: 'A\0' }],
    ['half of a character', 'PATCH', '/ID', { displayName: '\ud83d' }],
    ['an unknown key', 'POST', '', { displayname: 'Ada' }],
    ['an id of another kind', 'GET', '/ses_1', undefined],
    ['a namespace with a space', 'POST', '/ID/namespaces', { name: 'my work' }],
    ['a question that is blank', 'POST', '/ID/ask', { query: ' ' }],
    ['a question with U+0000', 'POST', '/ID/ask', { query: 'who\0' }],
    ['a question to a namespace that is not there', 'POST', '/ID/ask', { query: 'who', namespaces: ['x'] }],
    ['a limit of none', 'GET', '/ID/facts?limit=0', undefined],
    ['a namespace that is no name', 'GET', '/ID/sources?namespace=My%20work', undefined],
    ['a state that is none', 'GET', '/ID/facts?state=true', undefined],
    ['a text without a namespace', 'POST', '/ID/sources', { title: 'A', text: 'B' }],
    [
      'a text for a namespace that is not there',
      'POST',
      '/ID/sources',
      { title: 'A', namespace: 'x', text: 'B' },
    ],
  ])('%s is refused', async (_, method, path, body) => {
    const { id } = await api.reflection()
    const { status, problem } = await api.call(method, `/reflections${path.replace('ID', id)}`, { body })
    expect({ status, code: problem?.code }).toEqual({ status: 400, code: 'validation' })
  })
})
