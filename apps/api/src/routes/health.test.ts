import { Health, MySettings, ProviderHealth } from '@parley/contracts'
import { createAnswerScript, type ModelScript, createScriptedModel } from '@parley/engine/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'
import { framesOf, sendMessage } from '../testing/test-api.ts'

const KEY = `sk-ant-api03-${'mAdE0Up1'.repeat(4)}`

const NO_ANSWER: ModelScript = [
  {
    type: 'failure',
    error: { code: 'provider_unavailable', message: 'No answer, said sk-made-up-secret.', retryable: true },
  },
]

let api: Awaited<ReturnType<typeof knowledgeApi>>
const model = createScriptedModel([
  createAnswerScript('Good day.'),
  NO_ANSWER,
  createAnswerScript('It is sk-made-up-secret.'),
])
beforeAll(async () => {
  api = await knowledgeApi({
    getModel: () => ({
      ...model,
      provider: 'acme',
      modelId: 'one',
      price: { input: 1_000_000, output: 1_000_000 },
    }),
    readServedModels: () => ({
      providers: [
        { name: 'offline', kind: 'offline' },
        { name: 'acme', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' },
        { name: 'anthropic', kind: 'anthropic', apiKeyName: 'ANTHROPIC_API_KEY' },
      ],
    }),
    secrets: () => [{ name: 'acme', value: 'sk-made-up-secret' }],
  })
})
afterAll(() => api[Symbol.asyncDispose]())

const health = async () => Health.parse((await api.call('GET', '/health?range=1h')).answer)
const stateOf = async (name: string) => (await health()).providers.find((one) => one.name === name)
const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
const totals = (series: Health['charts']['turns']) =>
  Object.fromEntries(series.map(({ label, values }) => [label, sumOf(values)]))

async function say(sessionId: string, text: string) {
  const response = await sendMessage(api.url, { sessionId, token: api.ownerToken, text })
  await response.text()
}

test('it counts turns, sessions, cost, requests and times, and names the session whose turn failed', async () => {
  const { answer } = await api.call('POST', '/sessions', { body: {} })
  const { sessionId } = answer as { readonly sessionId: string }
  await say(sessionId, 'A question about Quillfeather')
  await say(sessionId, 'Another about Quillfeather')
  await api.call('GET', '/sessions/ses_unknown')
  const found = await health()
  expect(totals(found.charts.turns)).toEqual({ completed: 1, cancelled: 0, failed: 1 })
  expect(totals(found.charts.sessions)).toEqual({ text: 1, voice: 0 })
  expect(found.charts.cost.map(({ label }) => label)).toEqual(['acme/one'])
  expect(totals(found.charts.cost)['acme/one']).toBeGreaterThan(0)
  expect(totals(found.charts.requests)).toMatchObject({ refused: 1, failed: 0 })
  expect(sumOf(found.charts.firstWordMs[0]?.values ?? [])).toBeGreaterThan(0)
  expect(found.failures).toMatchObject([{ kind: 'turn', code: 'provider_unavailable', sessionId }])
  expect(found.routes).toContainEqual(
    expect.objectContaining({ route: 'GET /v1/sessions/{sessionId}', refused: 1 }),
  )
  expect(found.processes).toMatchObject([{ kind: 'api', isAlive: true }])
  expect(found.database.bytes).toBeGreaterThan(0)
  expect(found.queues.map(({ name }) => name)).toContain('ingest-source')
})

test('[X1] health holds no secrets and no messages', async () => {
  const text = JSON.stringify((await api.call('GET', '/health?range=7d')).answer)
  expect(text).toContain('No answer')
  expect(text).not.toMatch(/Quillfeather|Good day|sk-made-up-secret/)
})

test('a provider shows its settings and last result, and is probed only on request', async () => {
  expect(await stateOf('offline')).toMatchObject({ state: 'working' })
  expect(await stateOf('acme')).toMatchObject({ state: 'failing', code: 'provider_unavailable' })
  expect(await stateOf('anthropic')).toMatchObject({
    state: 'not_set_up',
    problem: expect.stringContaining('ANTHROPIC_API_KEY'),
  })
  const probe = await api.call('POST', '/health/probe', { body: { provider: 'acme' } })
  expect(ProviderHealth.parse(probe.answer)).toMatchObject({ state: 'failing', failedAt: expect.any(String) })
  const unknown = await api.call('POST', '/health/probe', { body: { provider: 'nobody' } })
  expect(unknown.problem?.detail).toBe(
    'This server has no provider nobody. It has: offline, acme, anthropic.',
  )
})

test('a job that did not fail is not tried again', async () => {
  const at = '/health/jobs/00000000-0000-4000-8000-000000000000/retry'
  const { status, problem } = await api.call('POST', at)
  expect([status, problem?.code]).toEqual([404, 'not_found'])
  expect((await api.call('POST', '/health/jobs/1/retry')).problem?.detail).toContain('the id of a job')
})

test('[A1] it is for admins', async () => {
  const { token } = await api.person('operator')
  expect((await api.call('GET', '/health', { token })).problem?.code).toBe('forbidden')
  const { token: admin } = await api.person('admin')
  expect((await api.call('GET', '/health', { token: admin })).status).toBe(200)
})

test('what the console remembers of a person is theirs', async () => {
  const { token } = await api.person('viewer')
  const read = async (of: string) =>
    MySettings.parse((await api.call('GET', '/me/settings', { token: of })).answer)
  expect(await read(token)).toEqual({ tour: 'due' })
  await api.call('PUT', '/me/settings', { token, body: { tour: 'skipped' } })
  await api.call('PUT', '/me/settings', { token, body: { tour: 'done' } })
  expect(await read(token)).toEqual({ tour: 'done' })
  expect(await read(api.ownerToken)).toEqual({ tour: 'due' })
  const wrong = await api.call('PUT', '/me/settings', { token, body: { tour: 'never' } })
  expect(wrong.problem?.code).toBe('validation')
})

test('[S13] a secret that a model says is masked in the events of a server, live and replayed', async () => {
  const { answer } = await api.call('POST', '/sessions', { body: {} })
  const { sessionId } = answer as { readonly sessionId: string }
  const live = await framesOf(
    await sendMessage(api.url, { sessionId, token: api.ownerToken, text: 'Which?' }),
  )
  const replayed = await framesOf(
    await fetch(`${api.url}/v1/sessions/${sessionId}/events`, {
      headers: { authorization: `Bearer ${api.ownerToken}`, accept: 'text/event-stream' },
    }),
    ({ type }) => type === 'session:turn_completed',
  )
  const textOf = (frames: typeof live) =>
    frames.map(({ event }) => (event.type === 'agent:token' ? event.token : '')).join('')
  expect(textOf(live)).toBe('It is [secret acme].')
  expect(textOf(replayed)).toBe(textOf(live))
  expect(JSON.stringify([live, replayed])).not.toContain('sk-made-up-secret')
})

test.each([
  ['agent.description', { agent: { id: 'a', model: 'one', provider: 'acme', description: KEY } }],
  ['context.gitRef', { context: { gitRef: KEY } }],
])('[S9] over HTTP too, a key in %s is refused with its place and not repeated', async (path, body) => {
  const { status, answer } = await api.call('POST', '/sessions', { body })
  expect(status).toBe(400)
  expect(JSON.stringify(answer)).toContain(`${path} looks like an Anthropic API key`)
  expect(JSON.stringify(answer)).not.toContain('mAdE0Up1')
})
