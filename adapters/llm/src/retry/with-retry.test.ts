import { afterAll, beforeEach, expect, test } from 'vitest'
import { createProviders } from '../providers.ts'
import { QUESTION, collectEvents } from '../testing/model.conformance.ts'
import {
  replyAfterHello,
  replyWith,
  readFixture,
  type VendorReply,
  startVendorServer,
  replyWithStream,
} from '../testing/vendor-server.ts'

const NOON = Date.parse('2026-01-01T12:00:00Z')

const server = await startVendorServer()
afterAll(() => server.close())
let now = NOON
let waits: number[] = []
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
      pause: async (ms) => {
        waits.push(ms)
        now += ms
      },
    },
  )

const failing = (status: number, headers: Readonly<Record<string, string>> = {}): VendorReply =>
  replyWith(status, JSON.stringify({ error: { message: `status ${status}` } }), headers)
const text = replyWithStream(readFixture('openai-compatible', 'text'))
const ok = ['text', 'text', 'finish']

const types = async (model = providers().openModel('local', 'm')) =>
  (await collectEvents(model)).map(({ type }) => type)

test('[S11] retries temporary errors, and waits longer each time', async () => {
  server.script(failing(500), failing(503), failing(529), text)
  expect(await types()).toEqual(['retry', 'retry', 'retry', ...ok])
  expect(waits).toEqual([375, 750, 1_500])
  expect(server.requests).toHaveLength(4)
})

test('[S11] reports the reason and the delay of a retry', async () => {
  server.script(failing(500), text)
  const [retry] = await collectEvents(providers().openModel('local', 'm'))
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
  ['its own number of attempts', { hasFallback: true, maxAttempts: 3 }, 3],
])('[S11] limits the attempts of a model with %s', async (_, options, attempts) => {
  server.script(failing(500))
  expect((await types(providers().openModel('local', 'm', options))).at(-1)).toBe('failure')
  expect(server.requests).toHaveLength(attempts)
})

test.each([400, 401, 403, 404])('[S11] does not retry after %d', async (status) => {
  server.script(failing(status), text)
  expect(await types()).toEqual(['failure'])
  expect(server.requests).toHaveLength(1)
})

test('[S11] does not retry once there is output', async () => {
  server.script(
    replyAfterHello('openai-compatible', (response) => response.destroy()),
    text,
  )
  expect(await types()).toEqual(['text', 'failure'])
  expect(server.requests).toHaveLength(1)
})

test.each([
  ['seconds', { 'retry-after': '7' }, 7_000],
  ['a date', { 'retry-after': new Date(NOON + 9_000).toUTCString() }, 9_000],
  ['a past date', { 'retry-after': new Date(NOON - 9_000).toUTCString() }, 375],
  ['milliseconds', { 'retry-after-ms': '1200' }, 1_200],
  ['nonsense', { 'retry-after': 'soon' }, 375],
])('[S11] waits as long as the provider requests, in %s', async (_, headers, wait) => {
  server.script(failing(429, headers), text)
  expect(await types()).toEqual(['retry', ...ok])
  expect(waits).toEqual([wait])
})

test('[S11] does not wait long, so that the next model of the chain is used', async () => {
  server.script(failing(429, { 'retry-after': '90' }), text)
  const model = providers().openModel('local', 'm')
  expect(await types(model)).toEqual(['failure'])
  expect(waits).toEqual([])
  now += 59_000
  expect(await collectEvents(model)).toMatchObject([
    { type: 'failure', error: { code: 'provider_rate_limit', retryable: true } },
  ])
  expect(server.requests).toHaveLength(1)
  now += 31_000
  expect(await types(model)).toEqual(ok)
})

test('[S11] stops waiting on abort', async () => {
  const abort = new AbortController()
  server.script(failing(429, { 'retry-after': '20' }))
  const real = createProviders([{ name: 'local', kind: 'openai-compatible', baseUrl: server.url }])
  const events: string[] = []
  let abortedAt = 0
  for await (const { type } of real.openModel('local', 'm').stream(QUESTION, abort.signal)) {
    events.push(type)
    if (type !== 'retry') continue
    abortedAt = performance.now()
    abort.abort()
  }
  expect(events).toEqual(['retry'])
  expect(performance.now() - abortedAt).toBeLessThan(20_000)
})

const impatient = { maxAttempts: 1, hasFallback: true }

test('[S11] a single failed request does not pause the model', async () => {
  const all = providers()
  server.script(failing(500))
  expect((await types(all.openModel('local', 'm'))).at(-1)).toBe('failure')
  server.script(text)
  expect(await types(all.openModel('local', 'm', impatient))).toEqual(ok)
})

test('[S11] pauses a model after three consecutive failures, longer each time, until it works', async () => {
  const model = providers().openModel('local', 'm', impatient)
  const cooling = async (ms: number) => {
    const before = server.requests.length
    expect(await types(model)).toEqual(['failure'])
    expect(server.requests).toHaveLength(before + 1)
    now += ms - 1
    expect(await collectEvents(model)).toMatchObject([
      {
        error: {
          code: 'provider_unavailable',
          retryable: true,
          message: expect.stringMatching(/^Paused for 1 s after a failure: .*500/),
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

test('[S11] waits for a short cool-down if there is no fallback', async () => {
  const all = providers()
  server.script(failing(500))
  for (let time = 1; time <= 3; time += 1) await collectEvents(all.openModel('local', 'm', impatient))
  server.script(text)
  waits = []
  expect(await collectEvents(all.openModel('local', 'm'))).toMatchObject([
    { type: 'retry', waitMs: 15_000, error: { message: expect.stringMatching(/^local returned an error/) } },
    ...ok.map((type) => ({ type })),
  ])
  expect(waits).toEqual([15_000])
})

test('[S11] does not retry a bad key', async () => {
  const model = providers().openModel('local', 'm')
  server.script(failing(401))
  expect(await types(model)).toEqual(['failure'])
  expect(await collectEvents(model)).toMatchObject([{ error: { code: 'provider_auth', retryable: false } }])
  expect(server.requests).toHaveLength(1)
})

test('[S11] pauses only the model that failed', async () => {
  const both = providers()
  server.script(failing(401))
  expect(await types(both.openModel('local', 'a'))).toEqual(['failure'])
  server.script(text)
  expect(await types(both.openModel('local', 'b'))).toEqual(ok)
})

test.each([400, 404])('[S11] a bad request (%d) does not pause the model', async (status) => {
  const model = providers().openModel('local', 'm')
  server.script(failing(status), text)
  expect(await types(model)).toEqual(['failure'])
  expect(await types(model)).toEqual(ok)
})

test('[S11] does not retry after a slow failure', async () => {
  server.script((response) => {
    now += 31_000
    failing(500)(response)
  }, text)
  expect(await types()).toEqual(['failure'])
  expect(server.requests).toHaveLength(1)
})

test('[S11] counts parallel failures as one', async () => {
  const model = providers().openModel('local', 'm', impatient)
  server.script(failing(500))
  await Promise.all([collectEvents(model), collectEvents(model), collectEvents(model)])
  server.script(text)
  now += 1
  expect(await types(model)).toEqual(ok)
})

test('[S11] forgets old failures', async () => {
  const model = providers().openModel('local', 'm', impatient)
  server.script(failing(500))
  for (let time = 1; time <= 3; time += 1) {
    expect(await types(model)).toEqual(['failure'])
    now += 3_600_000
  }
  server.script(text)
  now -= 3_599_999
  expect(await types(model)).toEqual(ok)
})
