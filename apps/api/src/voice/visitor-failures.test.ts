import { Problem } from '@parley/contracts'
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
  '[V17] where the provider answers %i, a visitor at %s hears no more than what it is: %s',
  async (status, path, code) => {
    const { token } = await api.share()
    await api.faults({ match: CREDENTIALS, status })
    const { answer } = await api.send('POST', `${path}/${token}/sessions`, { channel: 'voice' })
    await api.faults()
    const { detail = '', ...problem } = Problem.parse(answer)
    expect(problem.code).toBe(code)
    expect(detail).toBe(
      `${problem.title}. Try again in a minute. If it stays so, tell whoever gave you the link.`,
    )
    expect(JSON.stringify(answer)).not.toMatch(/127\.0\.0\.1|ELEVENLABS|HTTP \d/)
    expect(api.logged.join('')).toContain(`(HTTP ${status})`)
  },
)

test('[V9] a member is told what the provider said', async () => {
  await api.faults({ match: CREDENTIALS, status: 401 })
  const { answer } = await api.call('POST', '/sessions', {
    channel: 'voice',
    reflectionId: api.reflectionId,
  })
  await api.faults()
  expect(Problem.parse(answer).detail).toContain('ELEVENLABS_API_KEY')
})
