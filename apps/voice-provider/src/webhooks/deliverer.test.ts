import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type AttemptDecision, type WebhookDocument, decideAfterAttempt, countAttempt } from './deliverer.ts'
import { SECRET, createDeliveryStore } from './delivery-store.fixture.ts'
import { startReceiver, verifyEvent } from './receiver.fixture.ts'

const WEBHOOK: WebhookDocument = {
  webhook_url: 'http://127.0.0.1:9/',
  request_headers: {},
  is_disabled: false,
  is_auto_disabled: false,
  retry_enabled: true,
}
type Posted = Parameters<typeof decideAfterAttempt>[0]
const toAnswered = (status: number): Posted => ({ kind: 'answered', status })
const toAgain = (afterMs: number): AttemptDecision => ({ kind: 'again', afterMs })
const GIVEN_UP: AttemptDecision = { kind: 'given-up' }

test.each<[string, Posted, number, boolean, AttemptDecision]>([
  ['200 is received', toAnswered(200), 1, true, { kind: 'delivered' }],
  ['200 is received by the last attempt', toAnswered(200), 3, true, { kind: 'delivered' }],
  ['another 2xx is a failure', toAnswered(204), 1, true, GIVEN_UP],
  ['a redirect is not followed', toAnswered(307), 1, true, GIVEN_UP],
  ['a refusal is final', toAnswered(404), 1, true, GIVEN_UP],
  ['429 is retried', toAnswered(429), 1, true, toAgain(10)],
  ['500 is retried', toAnswered(500), 1, true, toAgain(10)],
  ['the pauses increase', toAnswered(503), 2, true, toAgain(100)],
  ['a timeout is retried', { kind: 'timeout' }, 1, true, toAgain(10)],
  [
    'an unreachable receiver is retried',
    { kind: 'unreachable', reason: 'ECONNREFUSED' },
    1,
    true,
    toAgain(10),
  ],
  ['after the last attempt it is dropped', toAnswered(500), 3, true, GIVEN_UP],
  ['nothing is retried unless enabled', toAnswered(500), 1, false, GIVEN_UP],
])('[X2] %s', (_, posted, attempt, retry_enabled, expected) => {
  expect(decideAfterAttempt(posted, attempt, { retry_enabled }, [10, 100])).toEqual(expected)
})

const NOW = 1_800_000_000_000
const SECONDS = NOW / 1_000
const DAY = 24 * 3_600

test.each<[string, Partial<WebhookDocument>, Posted, Partial<WebhookDocument>]>([
  ['a failure counts', {}, toAnswered(500), { consecutive_failures: 1, most_recent_failure_error_code: 500 }],
  ['a timeout has no error code', {}, { kind: 'timeout' }, { most_recent_failure_error_code: null }],
  [
    'success clears the count',
    { consecutive_failures: 9 },
    toAnswered(200),
    { consecutive_failures: 0, most_recent_success_timestamp: SECONDS, is_auto_disabled: false },
  ],
  [
    'the ninth failure keeps it enabled',
    { consecutive_failures: 8 },
    toAnswered(500),
    { is_auto_disabled: false },
  ],
  ['the tenth disables it', { consecutive_failures: 9 }, toAnswered(404), { is_auto_disabled: true }],
  [
    'a success within a week keeps it enabled',
    { consecutive_failures: 9, most_recent_success_timestamp: SECONDS - 6 * DAY },
    toAnswered(500),
    { is_auto_disabled: false },
  ],
  [
    'an older success does not',
    { consecutive_failures: 9, most_recent_success_timestamp: SECONDS - 8 * DAY },
    toAnswered(500),
    { is_auto_disabled: true },
  ],
])('[X2] %s', (_, given, posted, expected) => {
  expect(countAttempt({ ...WEBHOOK, ...given }, posted, NOW)).toMatchObject(expected)
})

/** Generous, because a busy machine is slow. */
const PATIENT = { timeout: 20_000 }

test('[X2] the vendor’s client accepts the signature', async () => {
  const { url, has } = await startReceiver()
  const { finish, deliverer } = await createDeliveryStore(url, { request_headers: { 'x-of-theirs': 'yes' } })
  await finish('conv_1')
  deliverer()
  const [first] = await has(1)
  if (!first) throw new Error('No request was received.')
  expect(first.headers).toMatchObject({ 'x-of-theirs': 'yes', 'content-type': 'application/json' })
  expect(await verifyEvent(first, SECRET)).toMatchObject({
    type: 'post_call_transcription',
    data: { conversation_id: 'conv_1' },
  })
  await expect(verifyEvent(first, 'wsec_another_made_up')).rejects.toThrow('Signature hash')
  await expect(verifyEvent({ ...first, body: `${first.body} ` }, SECRET)).rejects.toThrow('Signature hash')
})

test('[X2] audio is sent with the event, in chunks', async () => {
  const { url, has } = await startReceiver()
  const { finish, deliverer } = await createDeliveryStore(url)
  const body = JSON.stringify({ type: 'post_call_audio', event_timestamp: 1, data: { agent_id: 'agent_1' } })
  await finish('conv_1', [{ webhookId: 'webhook_1', body }], new TextEncoder().encode('RIFF sound'))
  deliverer()
  const [first] = await has(1)
  if (!first) throw new Error('No request was received.')
  expect(first.headers).toMatchObject({ 'transfer-encoding': 'chunked' })
  expect(await verifyEvent(first, SECRET)).toMatchObject({
    data: { agent_id: 'agent_1', full_audio: Buffer.from('RIFF sound').toString('base64') },
  })
})

test.each([
  ['fails', 500],
  ['is busy', 429],
  ['does not answer', 'hangs'],
] as const)('[X2] a receiver that %s gets the event again until it accepts it', async (_, reply) => {
  const { url, has, received } = await startReceiver((place) => (place < 2 ? reply : 200))
  const { finish, deliverer, webhook, store } = await createDeliveryStore(url)
  await finish('conv_1')
  deliverer({ timeoutMs: 200 })
  const bodies = (await has(3)).map(({ body }) => body)
  expect(new Set(bodies).size).toBe(1)
  await expect.poll(async () => (await webhook())?.['consecutive_failures'], PATIENT).toBe(0)
  expect(await store.deliveries.claim(10, 0)).toEqual([])
  expect(received).toHaveLength(3)
})

test.each([
  ['a rejected event is not sent again', 404, true, 1],
  ['without retries a failed event is not sent again', 500, false, 1],
  ['an event is dropped after its last attempt', 500, true, 3],
] as const)('[X2] %s', async (_, status, retry_enabled, requests) => {
  const { url, received } = await startReceiver(() => status)
  const { finish, deliverer, webhook, store } = await createDeliveryStore(url, { retry_enabled })
  await finish('conv_1')
  deliverer()
  await expect.poll(async () => (await webhook())?.['consecutive_failures'], PATIENT).toBe(requests)
  expect(await store.deliveries.claim(10, 0)).toEqual([])
  expect(received).toHaveLength(requests)
  expect(await webhook()).toMatchObject({ most_recent_failure_error_code: status, is_auto_disabled: false })
})

test('[X2] ten failures in a row disable a webhook and drop its waiting deliveries', async () => {
  const { url, received } = await startReceiver(() => 404)
  const { finish, deliverer, webhook, store } = await createDeliveryStore(url)
  for (let call = 0; call < 10; call += 1) await finish(`conv_${call}`)
  const { wake } = deliverer()
  await expect.poll(async () => (await webhook())?.['is_auto_disabled'], PATIENT).toBe(true)
  await finish('conv_late')
  wake()
  await expect.poll(() => store.deliveries.claim(10, 0), PATIENT).toEqual([])
  expect(received).toHaveLength(10)
})

test('[X2] a hanging receiver does not delay the others', async () => {
  const stuck = await startReceiver(() => 'hangs')
  const quick = await startReceiver()
  const { finish, deliverer, store } = await createDeliveryStore(stuck.url)
  const other = { ...(await store.documents.get('webhook', 'webhook_1'))?.body, webhook_url: quick.url }
  await store.documents.put('webhook', { id: 'webhook_2', body: other, secret: SECRET })
  await finish('conv_stuck')
  deliverer()
  await stuck.has(1)
  await finish('conv_quick', [
    { webhookId: 'webhook_2', body: '{"type":"post_call_transcription","data":{}}' },
  ])
  expect(await quick.has(1)).toHaveLength(1)
})

test('[X4] a stopped deliverer leaves running deliveries to the next one', async () => {
  const { url, has } = await startReceiver((place) => (place === 0 ? 'hangs' : 200))
  const { finish, deliverer, webhook } = await createDeliveryStore(url)
  await finish('conv_1')
  const { stop } = deliverer()
  await has(1)
  await stop()
  expect(await webhook()).not.toHaveProperty('consecutive_failures')
  deliverer()
  expect(await has(2)).toHaveLength(2)
})

test.each([
  ['before its first attempt', 'waits', 1],
  ['during an attempt', 'delivers', 2],
] as const)('[X4] a process killed %s loses no event', async (_, manner, requests) => {
  const { url, has } = await startReceiver((place) => (manner === 'delivers' && place === 0 ? 'hangs' : 200))
  const { databaseUrl, deliverer, store } = await createDeliveryStore(url)
  const script = fileURLToPath(new URL('./killed-provider.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [script, databaseUrl, 'conv_1', manner], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  if (manner === 'delivers') await has(1)
  child.kill('SIGKILL')
  await once(child, 'exit')

  deliverer()
  const received = await has(requests)
  const last = received.at(-1)
  expect(last && (await verifyEvent(last, SECRET))).toMatchObject({ data: { conversation_id: 'conv_1' } })
  await expect.poll(() => store.deliveries.claim(10, 0), PATIENT).toEqual([])
  expect(received).toHaveLength(requests)
})

test('[X2] a secret that cannot be decrypted sends nothing and is reported', async () => {
  const { url, received } = await startReceiver()
  const { finish, deliverer, store } = await createDeliveryStore(url)
  const body = (await store.documents.get('webhook', 'webhook_1'))?.body ?? {}
  await store.documents.put('webhook', { id: 'webhook_2', body })
  await finish('conv_1', [{ webhookId: 'webhook_2', body: '{"type":"post_call_transcription","data":{}}' }])
  const { failures } = deliverer()
  await expect.poll(() => failures, PATIENT).toMatchObject([{ code: 'config_invalid' }])
  expect(received).toEqual([])
})
