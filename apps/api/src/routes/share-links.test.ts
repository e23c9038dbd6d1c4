import { CreatedShareLink, Invitation, ShareLinkList } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
let at: string
let reflectionId: string
let members: Record<string, string>
beforeAll(async () => {
  api = await knowledgeApi()
  reflectionId = (await api.reflection()).id
  at = `/reflections/${reflectionId}/share-links`
  members = await api.members(reflectionId)
})
afterAll(() => api[Symbol.asyncDispose]())

const admin = () => members.admin ?? ''
const share = async (body: object = {}) =>
  CreatedShareLink.parse((await api.call('POST', at, { token: admin(), body })).answer)
const links = async () => ShareLinkList.parse((await api.call('GET', at)).answer).items

describe('share links over HTTP', () => {
  test('[V17] an admin creates a link; its token is shown once, never in lists', async () => {
    const made = await share({ namespaces: ['general'], maxUses: 2, expiresAt: '2099-01-01T00:00:00+02:00' })
    expect(made.token).toMatch(/^shr_[\w-]{43}$/)
    expect(made.url).toBe(`${api.url}/r/${made.token}`)
    expect(made).toMatchObject({ uses: 0, maxUses: 2, expiresAt: '2098-12-31T22:00:00.000Z' })
    const { answer } = await api.call('GET', at)
    expect(JSON.stringify(answer)).not.toContain(made.token)
    expect((await links())[0]).toMatchObject({ id: made.id, namespaces: ['general'] })
  })

  test('links of both kinds use the configured public URL, whatever the Host header', async () => {
    await using behind = await knowledgeApi({ publicUrl: 'https://talk.example.org/' })
    const { id } = await behind.reflection()
    const made = await behind.call('POST', `/reflections/${id}/share-links`, { body: {} })
    const { url, token } = CreatedShareLink.parse(made.answer)
    expect(url).toBe(`https://talk.example.org/r/${token}`)
    const body = { label: 'Grace', role: 'viewer' }
    const invited = await behind.call('POST', `/reflections/${id}/invitations`, { body })
    const { personId, url: invitation } = Invitation.parse(invited.answer)
    expect(invitation.startsWith(`https://talk.example.org/reflections/${id}#token=`)).toBe(true)
    const again = await behind.call('POST', `/reflections/${id}/members/${personId}/link`, { body: {} })
    expect(Invitation.parse(again.answer).url).toMatch(/^https:\/\/talk\.example\.org\/reflections\//)
  })

  test.each([
    ['a namespace that is not there', { namespaces: ['letters'] }],
    ['no namespace at all', { namespaces: [] }],
    ['no use at all', { maxUses: 0 }],
    ['a time that is over', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['what no link has', { isForever: true }],
  ])('%s is refused, and nothing is created', async (_, body) => {
    const before = await links()
    const { status, problem } = await api.call('POST', at, { token: admin(), body })
    expect({ status, code: problem?.code }).toEqual({ status: 400, code: 'validation' })
    expect(await links()).toEqual(before)
  })

  test('[V17] a link to conversations is refused with the reason', async () => {
    const { status, problem } = await api.call('POST', at, {
      token: admin(),
      body: { namespaces: ['general', 'conversations'] },
    })
    expect({ status, code: problem?.code }).toEqual({ status: 422, code: 'namespace_reserved' })
    expect(problem?.detail).toContain('never published')
  })

  test('[V17] a link reaches those of its namespaces that are published now', async () => {
    const { id, reaches } = await share({ namespaces: ['general'] })
    expect(reaches).toEqual([])
    const reachesNow = async () => (await links()).find((link) => link.id === id)?.reaches
    await api.call('POST', `/reflections/${reflectionId}/publish`, { body: { namespaces: ['general'] } })
    expect(await reachesNow()).toEqual(['general'])
    await api.call('POST', `/reflections/${reflectionId}/unpublish`, { body: { namespaces: ['general'] } })
    expect(await reachesNow()).toEqual([])
  })

  test('[V17][A5] a link is revoked for good, and the audit log says by whom', async () => {
    const { id } = await share()
    expect((await api.call('DELETE', `${at}/${id}`, { token: admin() })).status).toBe(204)
    const [revoked] = (await links()).filter((link) => link.id === id)
    expect(revoked?.revokedAt).toBeDefined()
    expect((await api.call('DELETE', `${at}/${id}`, { token: admin() })).status).toBe(204)
    expect(await links()).toContainEqual(revoked)
    const { answer } = await api.call('GET', `/reflections/${reflectionId}/audit`)
    expect(answer).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ what: 'share_revoked', target: id }),
        expect.objectContaining({ what: 'shared', target: id }),
      ]),
    })
  })

  test('a link of another reflection is not found', async () => {
    const { id } = await share()
    const other = await api.reflection('Grace')
    const { status } = await api.call('DELETE', `/reflections/${other.id}/share-links/${id}`)
    expect(status).toBe(404)
  })

  test.each(['operator', 'viewer'])('[A1] an %s cannot manage links', async (role) => {
    const token = members[role] ?? ''
    expect((await api.call('POST', at, { token, body: {} })).status).toBe(403)
    expect((await api.call('GET', at, { token })).status).toBe(403)
  })
})
