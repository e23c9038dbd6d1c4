import { AuditPage } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
beforeAll(async () => {
  api = await knowledgeApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const entriesAt = async (path: string) => AuditPage.parse((await api.call('GET', path)).answer).items

test('[A5] the server’s audit log, for its owner alone, lists changes to sessions, tokens and reflections', async () => {
  const { answer } = await api.call('POST', '/sessions', { body: {} })
  const sessionId = String((answer as { readonly sessionId: unknown }).sessionId)
  await fetch(`${api.url}/v1/sessions/${sessionId}/export`, {
    headers: { authorization: `Bearer ${api.ownerToken}` },
  })
  await api.call('DELETE', `/sessions/${sessionId}`)
  const { id } = await api.reflection()
  const { tokenId } = await api.person('viewer', { reflectionId: id })
  await api.call('DELETE', `/tokens/${tokenId}`)
  await api.call('DELETE', `/reflections/${id}`)
  const all = await entriesAt('/audit?limit=200')
  expect(all.map(({ what, target }) => [what, target]).toReversed()).toEqual([
    ['session_exported', sessionId],
    ['session_removed', sessionId],
    ['token_minted', tokenId],
    ['member_set_viewer', expect.stringMatching(/^per_/)],
    ['member_namespaces_set', expect.stringMatching(/^per_\w+: all$/)],
    ['token_revoked', tokenId],
    ['reflection_removed', id],
  ])
  expect(all[0]).toMatchObject({ who: 'per_owner', reflectionId: id })
  expect(all.at(-1)).not.toHaveProperty('reflectionId')
  const { token } = await api.person('admin')
  expect((await api.call('GET', '/audit', { token })).problem?.code).toBe('forbidden')
})

test('[A5] a reflection’s record holds its changes and namespaces, and each that is published once', async () => {
  const { id } = await api.reflection()
  await api.call('PATCH', `/reflections/${id}`, { body: { displayName: 'Ada H.' } })
  await api.call('POST', `/reflections/${id}/namespaces`, { body: { name: 'talks' } })
  await api.call('POST', `/reflections/${id}/publish`, {
    body: { namespaces: ['talks', 'talks', 'general'] },
  })
  const entries = await entriesAt(`/reflections/${id}/audit`)
  expect(entries.map(({ what, target }) => `${what} ${target}`).toReversed()).toEqual([
    `reflection_changed ${id}`,
    'namespace_added talks',
    'published talks',
    'published general',
  ])
})
