import { Problem, SessionPage, SessionView } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { visitorApi } from './visitor-api.fixture.ts'

let api: Awaited<ReturnType<typeof visitorApi>>
beforeAll(async () => {
  api = await visitorApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const CREDENTIALS = 'GET /v1/convai/conversation/get*'

test.each([
  [401, '/r', 'provider_auth'],
  [500, '/r', 'provider_unavailable'],
  [429, '/r', 'provider_rate_limit'],
  [402, '/r', 'validation'],
  [401, '/mobile/r', 'provider_auth'],
  [500, '/mobile/r', 'provider_unavailable'],
])(
  '[V17] if the provider answers %i, a visitor at %s sees only the title: %s',
  async (status, path, code) => {
    const { token } = await api.share()
    await api.faults({ match: CREDENTIALS, status })
    const { answer } = await api.send('POST', `${path}/${token}/sessions`, { channel: 'voice' })
    await api.faults()
    const { detail, ...problem } = Problem.parse(answer)
    expect(problem.code).toBe(code)
    expect(detail).toBe(
      `${problem.title}. Try again in a minute. If the problem persists, tell the person who gave you the link.`,
    )
    expect(JSON.stringify(answer)).not.toMatch(/127\.0\.0\.1|ELEVENLABS|HTTP \d/)
    expect(api.logged.join('')).toContain(`(HTTP ${status})`)
  },
)

test('[V9] a member sees the provider’s message', async () => {
  await api.faults({ match: CREDENTIALS, status: 401 })
  const { answer } = await api.call('POST', '/sessions', {
    channel: 'voice',
    reflectionId: api.reflectionId,
  })
  await api.faults()
  expect(Problem.parse(answer).detail).toContain('ELEVENLABS_API_KEY')
})

test('[V9] a failed start names its session, which its person and admins can list and read with the reason', async () => {
  const viewer = await api.member('viewer', api.reflectionId)
  const admin = await api.member('admin', api.reflectionId)
  const stranger = await api.member('operator', (await api.reflection('Another')).id)
  const body = { channel: 'voice', reflectionId: api.reflectionId }
  await api.faults({ match: CREDENTIALS, status: 401 })
  const { sessionId = '' } = Problem.parse((await api.call('POST', '/sessions', body, viewer.token)).answer)
  const second = Problem.parse((await api.call('POST', '/sessions', body, viewer.token)).answer)
  await api.faults()

  const told = { sessionId, status: 'failed', failure: 'provider_auth', channel: 'voice', mayWrite: false }
  for (const { token } of [viewer, admin]) {
    const read = await api.call('GET', `/sessions/${sessionId}`, undefined, token)
    expect(SessionView.parse(read.answer)).toMatchObject(told)
  }
  expect((await api.call('GET', `/sessions/${sessionId}`, undefined, stranger.token)).status).toBe(404)

  const listed = async (query: string, token: string) =>
    SessionPage.parse((await api.call('GET', `/sessions?status=failed&${query}`, undefined, token)).answer)
  const own = await listed('limit=1', viewer.token)
  expect(own.items).toMatchObject([{ sessionId: second.sessionId, reflectionId: api.reflectionId }])
  const older = await listed(`cursor=${encodeURIComponent(own.nextCursor ?? '')}`, viewer.token)
  expect(older.items).toMatchObject([told])
  const all = await listed('whose=all', admin.token)
  expect(all.items.filter((one) => one.ownerLabel === 'a viewer')).toHaveLength(2)
  expect((await listed('whose=own', admin.token)).items).toEqual([])
  expect((await listed('', stranger.token)).items).toEqual([])
  const started = await api.call('GET', '/sessions', undefined, viewer.token)
  expect(SessionPage.parse(started.answer).items).toEqual([])
})

test('[P8] a refused visitor is told when to retry', async () => {
  const { token } = await api.share()
  const visit = () =>
    fetch(`${api.url}/v1/r/${token}/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"channel":"voice"}',
    })
  await api.faults({ match: CREDENTIALS, status: 429 })
  expect((await visit()).headers.get('retry-after')).toBe('60')
  await api.faults()
  await api.call('POST', `${api.at}/publish`, { namespaces: ['diary'] })
  const waiting = await visit()
  expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([503, '5'])
})
