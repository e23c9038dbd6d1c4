import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { MAX_SOURCE_BYTES, Problem, SourcePage } from '@parley/contracts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from './testing/knowledge-api.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
beforeAll(async () => {
  api = await knowledgeApi()
})
const begun: ClientRequest[] = []
afterEach(() => {
  for (const upload of begun.splice(0)) upload.destroy()
})
afterAll(() => api[Symbol.asyncDispose]())

const SOURCE = JSON.stringify({ title: 'Letter', namespace: 'general', text: 'I live in Oslo.' })

/** A half-sent upload. */
function beginUpload(reflectionId: string, token: string, bytes = SOURCE.length) {
  const upload = request(`${api.url}/v1/reflections/${reflectionId}/sources`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': String(bytes),
    },
  })
  upload.on('error', () => {})
  begun.push(upload)
  upload.write(SOURCE.slice(0, 20))
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>
  let isRefused = false
  answered.then(
    () => (isRefused = true),
    () => {},
  )
  return {
    isRefused: () => isRefused,
    async end() {
      upload.end(SOURCE.slice(20))
      const [response] = await answered
      const problem = Problem.safeParse(JSON.parse(await text(response))).data
      return { status: response.statusCode, code: problem?.code }
    },
  }
}

const add = (reflectionId: string, token: string) =>
  api.call('POST', `/reflections/${reflectionId}/sources`, { token, body: JSON.parse(SOURCE) })

/** Two uploads that the server has begun to read: from then on one more is too many. */
async function twoUnderWay(reflectionId: string, token: string, bytes?: number) {
  let uploads: readonly ReturnType<typeof beginUpload>[] = []
  for (;;) {
    while (uploads.length < 2) uploads = [...uploads, beginUpload(reflectionId, token, bytes)]
    const { problem } = await add(reflectionId, token)
    if (problem?.detail?.includes('2 uploads of yours')) return uploads
    // One more may have come before one of them.
    uploads = uploads.filter((upload) => !upload.isRefused())
  }
}

test('[X5] each token has its own limit of concurrent uploads', async () => {
  const { id } = await api.reflection()
  const { operator = '', admin = '' } = await api.members(id)
  const uploads = await twoUnderWay(id, operator)
  expect((await add(id, operator)).status).toBe(429)
  expect((await add(id, admin)).status).toBe(202)
  for (const upload of uploads) expect((await upload.end()).status).toBe(202)
  expect((await add(id, operator)).status).toBe(202)
})

test('[X5] uploads share one memory limit; an aborted upload frees its part', async () => {
  const { id } = await api.reflection()
  const { operator = '', admin = '' } = await api.members(id)
  const { token: third } = await api.person('operator', { reflectionId: id })
  for (const token of [operator, admin]) {
    await twoUnderWay(id, token, MAX_SOURCE_BYTES + 1024 * 1024)
  }
  const response = await fetch(`${api.url}/v1/reflections/${id}/sources`, {
    method: 'POST',
    headers: { authorization: `Bearer ${third}`, 'content-type': 'application/json' },
    body: SOURCE,
  })
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1'])
  for (const upload of begun.splice(0)) upload.destroy()
  await expect.poll(async () => (await add(id, third)).status).toBe(202)
})

test.each(['revoked', 'removed'] as const)(
  '[A2] who is %s while their upload is being read stores nothing',
  async (what) => {
    const { id } = await api.reflection()
    const { token, tokenId, personId } = await api.person('operator', { reflectionId: id })
    const uploads = await twoUnderWay(id, token)
    const count = async () =>
      SourcePage.parse((await api.call('GET', `/reflections/${id}/sources?limit=200`)).answer).items.length
    const before = await count()
    const path = what === 'revoked' ? `/tokens/${tokenId}` : `/reflections/${id}/members/${personId}`
    expect((await api.call('DELETE', path)).status).toBe(204)
    const code = what === 'revoked' ? 'unauthenticated' : 'reflection_not_found'
    for (const upload of uploads) expect(await upload.end()).toMatchObject({ code })
    expect(await count()).toBe(before)
  },
)
