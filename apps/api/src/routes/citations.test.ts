import { CitationPage, SessionView } from '@parley/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { framesOf, sendMessage } from '../testing/test-api.ts'
import { CANARY, visitorApi } from '../reflections/visitor-api.fixture.ts'

let api: Awaited<ReturnType<typeof visitorApi>>
beforeAll(async () => {
  api = await visitorApi()
}, 60_000)
afterAll(() => api[Symbol.asyncDispose]())
afterEach(() => api.publish('publish', 'essays', 'talks'))

const PATIENCE = { timeout: 30_000, interval: 50 }
const OBSERVATORY = 'Where did you build the observatory?'
const COMETS = 'Where did you speak about comets?'
const BOAT = 'What is your boat called?'

async function ask(sessionId: string, text: string, token = 'made-up-token-of-the-owner') {
  await framesOf(await sendMessage(api.url, { sessionId, token, text }))
}

const read = (sessionId: string, token?: string, query = '') =>
  api.call('GET', `/sessions/${sessionId}/citations${query}`, undefined, token)

/** Once as many were kept as were looked up. */
async function cited(sessionId: string, count: number, token?: string) {
  await expect
    .poll(async () => CitationPage.parse((await read(sessionId, token)).answer).items.length, PATIENCE)
    .toBe(count)
  return CitationPage.parse((await read(sessionId, token)).answer).items
}

const started = async (body: object = {}, token?: string) =>
  SessionView.parse(
    (await api.call('POST', '/sessions', { channel: 'text', reflectionId: api.reflectionId, ...body }, token))
      .answer,
  ).sessionId

const visiting = async (link: object = {}) => api.visited(await api.visit((await api.share(link)).token))

describe('a member', () => {
  test('[K5] sees the look-ups in order, with their sources', async () => {
    const sessionId = await started()
    await ask(sessionId, OBSERVATORY)
    await ask(sessionId, BOAT)
    const [first, second] = await cited(sessionId, 2)
    expect(first).toMatchObject({ number: 1, query: OBSERVATORY, gone: 0 })
    expect(first?.evidence).toContainEqual(
      expect.objectContaining({
        text: expect.stringContaining('Ankara') as string,
        namespace: 'essays',
        source: { id: expect.stringMatching(/^src_/) as string, title: 'essays' },
      }),
    )
    expect(JSON.stringify(second)).toContain(CANARY)
    expect(first?.evidence.find(({ kind }) => kind === 'fact')?.quote).toContain('Ankara')
    const page = CitationPage.parse((await read(sessionId, undefined, '?limit=1')).answer)
    expect(page).toMatchObject({ items: [{ number: 1 }], nextCursor: '1' })
    const rest = CitationPage.parse((await read(sessionId, undefined, '?after=1')).answer)
    expect(rest.items.map(({ number }) => number)).toEqual([2])
    expect(rest.nextCursor).toBeUndefined()
  })

  test('[K5] the same question again counts as another, though its answer was kept', async () => {
    const sessionId = await started()
    await ask(sessionId, OBSERVATORY)
    await ask(sessionId, OBSERVATORY)
    const items = await cited(sessionId, 2)
    expect(items[1]?.evidence).toEqual(items[0]?.evidence)
  })

  test('removed results are counted, not shown', async () => {
    await api.learned(api.reflectionId, 'letters', 'Ada Example keeps bees in Reykjavik since 1970.')
    const sessionId = await started()
    await ask(sessionId, 'Where do you keep bees?')
    const [before] = await cited(sessionId, 1)
    expect(JSON.stringify(before)).toContain('Reykjavik')
    const source = before?.evidence.find(({ namespace }) => namespace === 'letters')?.source.id
    await api.call('DELETE', `${api.at}/sources/${source}`)
    const [after] = await cited(sessionId, 1)
    expect(JSON.stringify(after)).not.toContain('Reykjavik')
    expect(after?.gone).toBeGreaterThan(0)
  })

  test('[V5] off the record there is nothing to see', async () => {
    const sessionId = await started({ offRecord: true })
    await ask(sessionId, OBSERVATORY)
    expect(CitationPage.parse((await read(sessionId)).answer).items).toEqual([])
  })

  test('look-ups are removed with the session', async () => {
    const sessionId = await started()
    await ask(sessionId, 'Where is the observatory of Thimblewick?')
    await cited(sessionId, 1)
    expect((await api.call('DELETE', `/sessions/${sessionId}`)).status).toBe(204)
    expect((await read(sessionId)).code).toBe('session_not_found')
  })

  test('who may not read a session sees none of it', async () => {
    const { token } = await api.member('viewer', api.reflectionId)
    const sessionId = await started()
    expect((await read(sessionId, token)).code).toBe('session_not_found')
    expect((await read(await started({}, token), token)).status).toBe(200)
  })
})

describe('a visitor', () => {
  test('[P5] sees the words and their title, and no id', async () => {
    const { sessionId, token } = await visiting()
    await ask(sessionId, OBSERVATORY, token)
    await ask(sessionId, BOAT, token)
    const items = await cited(sessionId, 2, token)
    expect(JSON.stringify(items[0])).toContain('Ankara')
    expect(items[0]?.evidence.map(({ source }) => source)).toContainEqual({ title: 'essays' })
    expect(JSON.stringify(items)).not.toContain(CANARY)
    expect(JSON.stringify(items)).not.toMatch(/src_|rfl_/)
  })

  test('[P6] is shown nothing that was unpublished since, nor is an admin who reads along', async () => {
    const { sessionId, token } = await visiting()
    await ask(sessionId, OBSERVATORY, token)
    await ask(sessionId, COMETS, token)
    await cited(sessionId, 2, token)
    expect(JSON.stringify(await cited(sessionId, 2))).toContain('Ankara')
    await api.call('POST', `${api.at}/unpublish`, { namespaces: ['essays'] })
    expect((await read(sessionId, token)).code).toBe('session_ended')
    const items = await cited(sessionId, 2)
    expect(JSON.stringify(items)).not.toContain('Ankara')
    expect(JSON.stringify(items)).toContain('Lisbon')
    expect(items[0]?.gone).toBeGreaterThan(0)
  })

  test('[P4] a link for some namespaces shows those', async () => {
    const { sessionId, token } = await visiting({ namespaces: ['talks'] })
    await ask(sessionId, COMETS, token)
    const items = await cited(sessionId, 1, token)
    expect(items.flatMap(({ evidence }) => evidence.map(({ namespace }) => namespace))).not.toContain(
      'essays',
    )
    const { answer } = await api.call('GET', `/sessions/${sessionId}`, undefined, token)
    expect(SessionView.parse(answer).reflection).toEqual({
      displayName: expect.any(String) as string,
      mode: 'share',
      audience: 'public',
      surface: 'public',
      actions: ['retrieve-context'],
      namespaces: ['talks'],
      ingestion: 'keep-only',
      status: 'active',
      transcript: 'none',
    })
  })
})

test('[V2] a session shows its person its permissions', async () => {
  const { answer } = await api.call('GET', `/sessions/${await started()}`)
  expect(SessionView.parse(answer).reflection).toMatchObject({
    id: api.reflectionId,
    mode: 'reflection',
    audience: 'private',
    actions: ['retrieve-context', 'request-source-ingest', 'propose-fact-correction'],
    namespaces: expect.arrayContaining(['diary', 'essays', 'talks']) as string[],
  })
})
