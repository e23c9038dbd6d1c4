import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FactId, PatchId, PersonId, ReflectionId, SourceId } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiClient, createApiClient, type ReflectionsClient } from '../index.ts'

const reflectionId = 'rfl_1' as ReflectionId
const sourceId = 'src_1' as SourceId
const patchId = 'pat_1' as PatchId
const personId = 'per_1' as PersonId
const previewHash = 'a'.repeat(64)

const now = '2026-01-01T00:00:00.000Z'
const reflection = {
  id: reflectionId,
  displayName: 'Ada',
  approval: 'by_rule',
  publishRevision: 0,
  knowledgeRevision: 0,
  namespaces: [],
  shareIngestion: false,
  createdAt: now,
  role: 'operator',
}
const source = {
  id: sourceId,
  title: 'Letter',
  namespace: 'general',
  mediaType: 'text/plain',
  bytes: 3,
  addedAt: now,
  state: 'queued',
  chunks: 0,
  facts: 0,
}
const fact = {
  id: 'fct_1',
  namespace: 'general',
  subject: 'Ada',
  predicate: 'lives_in',
  object: 'Oslo',
  statement: 'Ada lives in Oslo.',
  confidence: 0.9,
  state: 'active',
  supersededAt: now,
  supersededBy: 'fct_2',
  patchId: 'pat_0',
  evidence: [],
  createdAt: now,
}
const patch = {
  id: patchId,
  origin: 'ingest',
  status: 'proposed',
  findings: [],
  facts: [],
  supersedes: [fact],
  createdAt: now,
}
const entry = {
  position: 1,
  generation: 1,
  stage: 'candidate',
  payloadHash: 'made-up',
  reasons: [],
  at: now,
  previousHash: 'made-up',
  entryHash: 'made-up',
}
const member = { personId, label: 'Grace', role: 'viewer', namespaces: 'all' }
const link = {
  id: 'lnk_1',
  reflectionId,
  namespaces: ['work'],
  reaches: [],
  maxUses: 3,
  uses: 1,
  createdAt: now,
}
const synced = { surface: 'public', status: 'stale', differs: ['the pack'], missing: [], agentId: 'agent_1' }
const drift = {
  surface: 'public',
  status: 'differs',
  agentId: 'agent_1',
  differences: [{ path: 'temperature', wanted: 0.4, held: null }],
  beyond: [],
  why: [],
}
const looked = {
  plan: { kind: 'refused', code: 'forbidden', message: 'Not for you.', because: [] },
  variables: [],
  budget: { most: 500, wanted: 0, used: 0, isOver: false },
  warnings: [],
}
const tried = { kind: 'tool', name: 'looks up', history: [{ role: 'person', text: 'Where?' }], toolId: 't' }
const page = (item: object) => ({ items: [item], nextCursor: 'on' })

/** Returns the prepared response to every request and records the requests. */
const server = createServer((asked, answer) => void reply(asked, answer))
async function reply(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  last = { at: `${asked.method} ${asked.url}`, type: asked.headers['content-type'], body: await text(asked) }
  answer.writeHead(200, { 'content-type': 'application/json' })
  answer.end(JSON.stringify(ready))
}
let last: { at: string; type: string | undefined; body: string } = { at: '', type: undefined, body: '' }
let ready: unknown
let api: ApiClient
let client: ReflectionsClient
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  api = createApiClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'made-up-token' })
  client = api.reflections
})
afterAll(() => server.close())

type Ask = (client: ReflectionsClient) => Promise<unknown>

test.each<[string, Ask, unknown, unknown]>([
  ['POST /v1/reflections', (c) => c.create({ displayName: 'Ada' }), reflection, { displayName: 'Ada' }],
  [
    'GET /v1/reflections?limit=2&cursor=x',
    (c) => c.list({ limit: 2, cursor: 'x' }),
    page(reflection),
    undefined,
  ],
  ['GET /v1/reflections/rfl_1', (c) => c.get(reflectionId), reflection, undefined],
  [
    'GET /v1/reflections/rfl_1/summary',
    (c) => c.summary(reflectionId),
    {
      sources: { learned: 2, busy: 1, wrong: 0 },
      waiting: 1,
      namespaces: [{ name: 'work', sources: 2, facts: 7 }],
    },
    undefined,
  ],
  [
    'PATCH /v1/reflections/rfl_1',
    (c) => c.change({ reflectionId, creatorName: 'A' }),
    reflection,
    { creatorName: 'A' },
  ],
  [
    'POST /v1/reflections/rfl_1/namespaces',
    (c) => c.addNamespace({ reflectionId, name: 'work' }),
    { name: 'work', isPublished: false },
    { name: 'work' },
  ],
  [
    'POST /v1/reflections/rfl_1/publish',
    (c) => c.publish({ reflectionId, namespaces: ['work'], previewHash }),
    reflection,
    { namespaces: ['work'], previewHash },
  ],
  [
    'POST /v1/reflections/rfl_1/unpublish',
    (c) => c.unpublish({ reflectionId, namespaces: ['work'] }),
    reflection,
    { namespaces: ['work'] },
  ],
  [
    'POST /v1/reflections/rfl_1/publish-preview',
    (c) => c.previewPublish({ reflectionId, namespaces: ['work'], publish: true }),
    {
      published: ['work'],
      sources: [{ id: sourceId, title: 'Letter', contentHash: 'made-up' }],
      facts: 1,
      dossier: { removed: [], added: ['Ada lives in Oslo.'], kept: [] },
      firstMessage: 'Hello.',
      prompt: 'You speak for Ada.',
      refused: [],
      previewHash,
      links: 0,
      visitors: 0,
    },
    { namespaces: ['work'], publish: true },
  ],
  [
    'PUT /v1/reflections/rfl_1/members',
    (c) => c.setMember({ reflectionId, personId, role: 'viewer' }),
    member,
    { personId, role: 'viewer' },
  ],
  [
    'POST /v1/reflections/rfl_1/invitations',
    (c) => c.invite({ reflectionId, label: 'Grace', role: 'viewer' }),
    { ...member, url: 'http://127.0.0.1/reflections/rfl_1#token=made-up', expiresAt: now },
    { label: 'Grace', role: 'viewer' },
  ],
  [
    'POST /v1/reflections/rfl_1/sources',
    (c) => c.addSource(reflectionId, { title: 'Letter', namespace: 'general', text: 'abc' }),
    source,
    { title: 'Letter', namespace: 'general', text: 'abc' },
  ],
  ['GET /v1/reflections/rfl_1/sources', (c) => c.sources({ reflectionId }), page(source), undefined],
  [
    'GET /v1/reflections/rfl_1/sources?namespace=work',
    (c) => c.sources({ reflectionId, namespace: 'work' }),
    page(source),
    undefined,
  ],
  [
    'PATCH /v1/reflections/rfl_1',
    (c) => c.change({ reflectionId, creatorName: null }),
    reflection,
    { creatorName: null },
  ],
  ['GET /v1/reflections/rfl_1/sources/src_1', (c) => c.source({ reflectionId, sourceId }), source, undefined],
  [
    'GET /v1/reflections/rfl_1/sources/src_1/text?after=50&words=in+Oslo',
    (c) => c.sourceText({ reflectionId, sourceId, after: 50, words: 'in Oslo' }),
    { items: [{ ordinal: 51, text: 'I live in Oslo.', place: { line: 7 } }], count: 60, foundAt: 51 },
    undefined,
  ],
  [
    'DELETE /v1/reflections/rfl_1/sources/src_1',
    (c) => c.removeSource({ reflectionId, sourceId }),
    source,
    undefined,
  ],
  [
    'GET /v1/reflections/rfl_1/facts?after=50&limit=2&search=oslo&order=time',
    (c) => c.factsFrom({ reflectionId, after: 50, limit: 2, search: 'oslo', order: 'time' }),
    { items: [fact], count: 51 },
    undefined,
  ],
  [
    'GET /v1/reflections/rfl_1/patches?status=proposed',
    (c) => c.patches({ reflectionId, status: 'proposed' }),
    page(patch),
    undefined,
  ],
  ['GET /v1/reflections/rfl_1/patches/pat_1', (c) => c.patch({ reflectionId, patchId }), patch, undefined],
  [
    'POST /v1/reflections/rfl_1/patches/pat_1/revert',
    (c) => c.review({ reflectionId, patchId, said: 'revert' }),
    patch,
    {},
  ],
  [
    'GET /v1/reflections/rfl_1/artifacts?limit=2',
    (c) => c.ledger({ reflectionId, limit: 2 }),
    { items: [entry], live: 1 },
    undefined,
  ],
  [
    'GET /v1/reflections/rfl_1/artifacts/7',
    (c) => c.generation({ reflectionId, generation: 7 }),
    { generation: 7, publishedNamespaces: ['work'], artifacts: { any: 'thing' } },
    undefined,
  ],
  [
    'POST /v1/reflections/rfl_1/corrections',
    (c) => c.correct({ reflectionId, fact: 'fct_1', correction: 'Ada lives in Bergen.' }),
    { patchId },
    { fact: 'fct_1', correction: 'Ada lives in Bergen.' },
  ],
  [
    'GET /v1/reflections/rfl_1/audit?limit=2',
    (c) => c.audit({ reflectionId, limit: 2 }),
    page({ who: personId, what: 'published', at: now }),
    undefined,
  ],
  [
    'POST /v1/reflections/rfl_1/share-links',
    (c) => c.share({ reflectionId, namespaces: ['work'], maxUses: 3 }),
    { ...link, token: 'shr_made-up', url: 'http://127.0.0.1/r/shr_made-up' },
    { namespaces: ['work'], maxUses: 3 },
  ],
  ['GET /v1/reflections/rfl_1/sync', (c) => c.syncStatus(reflectionId), { items: [synced] }, undefined],
  [
    'POST /v1/reflections/rfl_1/sync',
    (c) => c.sync({ reflectionId, surface: 'public' }),
    { items: [synced] },
    { surface: 'public' },
  ],
  [
    'POST /v1/reflections/rfl_1/variables',
    (c) => c.variables({ reflectionId, audience: 'public', budget: 500 }),
    looked,
    { audience: 'public', budget: 500 },
  ],
  [
    'GET /v1/reflections/rfl_1/explore-next',
    (c) => c.exploreNext(reflectionId),
    { items: ['Where do you live now?'] },
    undefined,
  ],
  [
    'POST /v1/reflections/rfl_1/audit',
    (c) => c.drift({ reflectionId, repair: true }),
    { items: [drift], server: [] },
    { repair: true },
  ],
  [
    'POST /v1/reflections/rfl_1/agent-tests',
    (c) => c.testAgents({ reflectionId, surface: 'public' }),
    {
      surface: 'public',
      agentId: 'agent_1',
      warnings: ['No fact makes a question.'],
      items: [{ test: tried, verdict: 'passed', reasons: [] }],
    },
    { surface: 'public' },
  ],
  [
    'POST /v1/reflections/rfl_1/ask',
    (c) => c.ask({ reflectionId, query: 'Where?' }),
    { evidence: [], tookMs: 3 },
    { query: 'Where?' },
  ],
])('%s', async (at, ask, answer, body) => {
  ready = answer
  expect(await ask(client)).toEqual(answer)
  expect(last.at).toBe(at)
  expect(last.body === '' ? undefined : JSON.parse(last.body)).toEqual(body)
})

test('a file is sent as a form with its name', async () => {
  ready = source
  const file = new Blob(['abc'], { type: 'text/markdown' })
  const sent = { title: 'Letter', namespace: 'general', file, fileName: 'letter.md' }
  await client.addSource(reflectionId, sent, sourceId)
  expect(last.at).toBe('PUT /v1/reflections/rfl_1/sources/src_1')
  const form = await new Response(last.body, { headers: { 'content-type': last.type ?? '' } }).formData()
  expect([form.get('title'), form.get('namespace')]).toEqual(['Letter', 'general'])
  expect(form.get('file')).toMatchObject({ name: 'letter.md', type: 'text/markdown', size: 3 })
})

test('[K2] reads the history of a fact', async () => {
  ready = { items: [fact] }
  expect(await client.factHistory({ reflectionId, factId: 'fct_1' as FactId })).toEqual([fact])
  expect(last.at).toBe('GET /v1/reflections/rfl_1/facts/fct_1/history')
})

test('reads and removes members', async () => {
  ready = { items: [member] }
  expect(await client.members(reflectionId)).toEqual([member])
  await client.removeMember({ reflectionId, personId })
  expect(last.at).toBe('DELETE /v1/reflections/rfl_1/members/per_1')
  await client.leave(reflectionId)
  expect(last.at).toBe('POST /v1/reflections/rfl_1/leave')
})

test('[V17] reads and revokes links', async () => {
  ready = { items: [link] }
  expect(await client.shareLinks(reflectionId)).toEqual([link])
  expect(last.at).toBe('GET /v1/reflections/rfl_1/share-links')
  await client.unshare({ reflectionId, linkId: 'lnk_1' })
  expect(last.at).toBe('DELETE /v1/reflections/rfl_1/share-links/lnk_1')
})

test('reads the provider voices', async () => {
  const voice = { voiceId: 'slt', name: 'Slt', kind: 'stock' }
  ready = { items: [voice] }
  expect(await api.voices()).toEqual([voice])
  expect(last.at).toBe('GET /v1/voices')
})

test('[A2] lists token holders without their tokens', async () => {
  ready = page({ ...member, id: 'tok_1', tokenId: 'tok_1', expiresAt: now, createdAt: now, token: 'made-up' })
  const { items } = await api.tokens.list({ limit: 2 })
  expect(last.at).toBe('GET /v1/tokens?limit=2')
  expect(items[0]).toMatchObject({ personId, label: 'Grace', role: 'viewer' })
  expect(JSON.stringify(items)).not.toContain('made-up')
})

test('[A2] creates and revokes a token', async () => {
  const made = { ...member, id: 'tok_1', tokenId: 'tok_1', token: 'made-up', expiresAt: now }
  ready = made
  expect(await api.tokens.create({ label: 'Grace', role: 'viewer', reflectionId })).toEqual(made)
  expect(last.at).toBe('POST /v1/tokens')
  expect(JSON.parse(last.body)).toEqual({ label: 'Grace', role: 'viewer', reflectionId })
  await api.tokens.revoke('tok_1')
  expect(last.at).toBe('DELETE /v1/tokens/tok_1')
})
