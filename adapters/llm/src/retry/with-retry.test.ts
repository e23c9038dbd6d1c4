import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createProviders } from '../providers.ts'
import { QUESTION, told } from '../testing/model.conformance.ts'
import {
  afterHello,
  answered,
  fixture,
  type Reply,
  startVendorServer,
  streamed,
  type VendorServer,
} from '../testing/vendor-server.ts'

const NOON = Date.parse('2026-01-01T12:00:00Z')

let server: VendorServer
let now = NOON
let waits: number[] = []
beforeAll(async () => {
  server = await startVendorServer()
})
afterAll(() => server.close())
beforeEach(() => {
  now = NOON
  waits = []
})

const providers = () =>
  createProviders(
    [{ name: 'local', kind: 'openai-compatible', baseUrl: server.url, apiKey: 'made-up-key' }],
    {
      now: () => now,
      random: () => 0.5,
      sleep: async (ms) => {
        waits.push(ms)
        now += ms
      },
    },
  )

const failing = (status: number, headers: Readonly<Record<string, string>> = {}): Reply =>
  answered(status, JSON.stringify({ error: { message: `status ${status}` } }), headers)
const text = streamed(fixture('openai-compatible', 'text'))
const ok = ['text', 'text', 'finish']

const types = async (model = providers().modelOf('local', 'm')) => (await told(model)).map(({ type }) => type)

test('[S11] asks again where another try may help, waiting longer each time', async () => {
  server.script(failing(500), failing(503), failing(529), text)
  expect(await types()).toEqual(['retry', 'retry', 'retry', ...ok])
  expect(waits).toEqual([375, 750, 1_500])
  expect(server.requests).toHaveLength(4)
})

test('[S11] says why it asks again, and when', async () => {
  server.script(failing(500), text)
  const [retry] = await told(providers().modelOf('local', 'm'))
  expect(retry).toEqual({
    type: 'retry',
    waitMs: 375,
    error: {
      code: 'provider_unavailable',
      message: 'local returned an error (500). It said: status 500',
      retryable: true,
    },
  })
})

test.each([
  ['no fallback', {}, 4],
  ['a fallback', { hasFallback: true }, 2],
  ['a number of attempts of its own', { hasFallback: true, maxAttempts: 3 }, 3],
])('[S11] a model with %s is asked so often and no more', async (_, options, attempts) => {
  server.script(failing(500))
  expect((await types(providers().modelOf('local', 'm', options))).at(-1)).toBe('failure')
  expect(server.requests).toHaveLength(attempts)
})

test.each([400, 401, 403, 404])('[S11] does not ask again after %d', async (status) => {
  server.script(failing(status), text)
  expect(await types()).toEqual(['failure'])
  expect(server.requests).toHaveLength(1)
})

test('[S11] does not ask again once something was said', async () => {
  server.script(
    afterHello('openai-compatible', (response) => response.destroy()),
    text,
  )
  expect(await types()).toEqual(['text', 'failure'])
  expect(server.requests).toHaveLength(1)
})

test.each([
  ['seconds', { 'retry-after': '7' }, 7_000],
  ['a date', { 'retry-after': new Date(NOON + 9_000).toUTCString() }, 9_000],
  ['a date that is past', { 'retry-after': new Date(NOON - 9_000).toUTCString() }, 375],
  ['milliseconds', { 'retry-after-ms': '1200' }, 1_200],
  ['nonsense', { 'retry-after': 'soon' }, 375],
])('[S11] waits as the provider asks it to, by %s', async (_, headers, wait) => {
  server.script(failing(429, headers), text)
  expect(await types()).toEqual(['retry', ...ok])
  expect(waits).toEqual([wait])
})

test('[S11] does not wait long: the next of the chain can be asked', async () => {
  server.script(failing(429, { 'retry-after': '90' }), text)
  const model = providers().modelOf('local', 'm')
  expect(await types(model)).toEqual(['failure'])
  expect(waits).toEqual([])
  now += 59_000
  expect(await told(model)).toMatchObject([
    { type: 'failure', error: { code: 'provider_rate_limit', retryable: true } },
  ])
  expect(server.requests).toHaveLength(1)
  now += 31_000
  expect(await types(model)).toEqual(ok)
})

test('[S11] an abort ends the waiting', async () => {
  const abort = new AbortController()
  server.script(failing(429, { 'retry-after': '20' }))
  const real = createProviders([{ name: 'local', kind: 'openai-compatible', baseUrl: server.url }])
  const events: string[] = []
  let abortedAt = 0
  for await (const { type } of real.modelOf('local', 'm').stream(QUESTION, abort.signal)) {
    events.push(type)
    if (type !== 'retry') continue
    abortedAt = performance.now()
    abort.abort()
  }
  expect(events).toEqual(['retry'])
  expect(performance.now() - abortedAt).toBeLessThan(20_000)
})

const impatient = { maxAttempts: 1, hasFallback: true }

test('[S11] one request that failed refuses nothing to the next', async () => {
  const all = providers()
  server.script(failing(500))
  expect((await types(all.modelOf('local', 'm'))).at(-1)).toBe('failure')
  server.script(text)
  expect(await types(all.modelOf('local', 'm', impatient))).toEqual(ok)
})

test('[S11] a model that failed three times in a row is left alone, longer each time, until it works', async () => {
  const model = providers().modelOf('local', 'm', impatient)
  const cooling = async (ms: number) => {
    const before = server.requests.length
    expect(await types(model)).toEqual(['failure'])
    expect(server.requests).toHaveLength(before + 1)
    now += ms - 1
    expect(await told(model)).toMatchObject([
      {
        error: {
          code: 'provider_unavailable',
          retryable: true,
          message: expect.stringMatching(/^Not asked again for 1 s, since it failed: .*500/),
        },
      },
    ])
    expect(server.requests).toHaveLength(before + 1)
    now += 1
  }
  const failTwice = async () => {
    for (let time = 1; time <= 2; time += 1) expect(await types(model)).toEqual(['failure'])
  }
  server.script(failing(500))
  await failTwice()
  for (const ms of [15_000, 30_000, 60_000, 120_000, 120_000]) await cooling(ms)

  server.script(text)
  expect(await types(model)).toEqual(ok)
  server.script(failing(500))
  await failTwice()
  await cooling(15_000)
})

test('[S11] without a fallback, the model waits for a short cool-down', async () => {
  const all = providers()
  server.script(failing(500))
  for (let time = 1; time <= 3; time += 1) await told(all.modelOf('local', 'm', impatient))
  server.script(text)
  waits = []
  expect(await told(all.modelOf('local', 'm'))).toMatchObject([
    { type: 'retry', waitMs: 15_000, error: { message: expect.stringMatching(/^local returned an error/) } },
    ...ok.map((type) => ({ type })),
  ])
  expect(waits).toEqual([15_000])
})

test('[S11] a bad key is not tried again and again', async () => {
  const model = providers().modelOf('local', 'm')
  server.script(failing(401))
  expect(await types(model)).toEqual(['failure'])
  expect(await told(model)).toMatchObject([{ error: { code: 'provider_auth', retryable: false } }])
  expect(server.requests).toHaveLength(1)
})

test('[S11] leaves alone the model that failed, not its neighbour', async () => {
  const both = providers()
  server.script(failing(401))
  expect(await types(both.modelOf('local', 'a'))).toEqual(['failure'])
  server.script(text)
  expect(await types(both.modelOf('local', 'b'))).toEqual(ok)
})

test.each([400, 404])('[S11] a bad request (%d) says nothing of the next one', async (status) => {
  const model = providers().modelOf('local', 'm')
  server.script(failing(status), text)
  expect(await types(model)).toEqual(['failure'])
  expect(await types(model)).toEqual(ok)
})

test('[S11] is not asked again after it took long to fail', async () => {
  server.script((response) => {
    now += 31_000
    failing(500)(response)
  }, text)
  expect(await types()).toEqual(['failure'])
  expect(server.requests).toHaveLength(1)
})

test('[S11] requests that fail together count as one failure', async () => {
  const model = providers().modelOf('local', 'm', impatient)
  server.script(failing(500))
  await Promise.all([told(model), told(model), told(model)])
  server.script(text)
  now += 1
  expect(await types(model)).toEqual(ok)
})

test('[S11] a failure of long ago counts no more', async () => {
  const model = providers().modelOf('local', 'm', impatient)
  server.script(failing(500))
  for (let time = 1; time <= 3; time += 1) {
    expect(await types(model)).toEqual(['failure'])
    now += 3_600_000
  }
  server.script(text)
  now -= 3_599_999
  expect(await types(model)).toEqual(ok)
})
