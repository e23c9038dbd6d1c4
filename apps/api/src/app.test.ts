import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ENDPOINTS,
  ErrorCode,
  MAX_MESSAGE_LENGTH,
  PlatformError,
  Problem,
  type ProviderVoice,
  SessionEvent,
  SessionView,
} from '@parley/contracts'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import type { VoiceProvider } from '@parley/reflections'
import { getLeastRole } from './auth/admit-caller.ts'
import type { Services } from './services.ts'
import { framesOf, testApi, tokenOf } from './testing/test-api.ts'

let api: Awaited<ReturnType<typeof testApi>>
beforeAll(async () => {
  api = await testApi(
    createScriptedModel(Array.from({ length: 50 }, () => createAnswerScript('Good day to you.'))),
  )
})
afterAll(() => api.close())

const startSession = async (token = tokenOf('owner')): Promise<SessionView> => {
  const response = await api.call('POST', '/v1/sessions', { token, body: { channel: 'text' } })
  expect(response.status).toBe(201)
  return SessionView.parse(await response.json())
}
const problemIn = async (response: Response) => {
  expect(response.headers.get('content-type')).toContain('application/problem+json')
  const problem = Problem.parse(await response.json())
  expect(problem.status).toBe(response.status)
  return problem
}
const pathOf = (key: string) => key.split(' ')[1]?.replace('{sessionId}', 'ses_nobody') ?? ''
const start = (token: string, body: object) => api.call('POST', '/v1/sessions', { token, body })
const ROUTES = Object.values(ENDPOINTS).map(({ method, path, access }) => ({
  key: `${method.toUpperCase()} ${path}`,
  access,
}))
const openTo = (access: string) => ROUTES.filter((route) => route.access === access).map(({ key }) => key)
const ended = (event: SessionEvent) => event.type === 'session:turn_completed'

describe('sessions over HTTP', () => {
  test('a session is started, sent to, streamed, read and listed', async () => {
    const { sessionId } = await startSession()
    const sent = await api.call('POST', `/v1/sessions/${sessionId}/messages`, { body: { text: 'Hello' } })
    expect(sent.status).toBe(202)
    expect(await sent.json()).toMatchObject({ turnId: expect.stringMatching(/^trn_/) })
    const frames = await framesOf(await api.call('GET', `/v1/sessions/${sessionId}/events`), ended)
    expect(frames.at(-1)?.event).toMatchObject({ type: 'session:turn_completed', stopReason: 'completed' })
    const messages = await (await api.call('GET', `/v1/sessions/${sessionId}/messages`)).json()
    expect(messages).toMatchObject({ items: [{ role: 'user' }, { role: 'assistant', modelId: 'scripted' }] })
    const list = await (await api.call('GET', '/v1/sessions?limit=1')).json()
    expect(list).toMatchObject({ items: [{ sessionId, title: 'Hello', messageCount: 2 }] })
  })

  test('[S5] every frame is an event with its number as id and its type as name', async () => {
    const { sessionId } = await startSession()
    const response = await api.call('POST', `/v1/sessions/${sessionId}/messages`, {
      body: { text: 'Hello' },
      headers: { accept: 'text/event-stream' },
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const frames = await framesOf(response)
    expect(frames.map(({ id }) => Number(id))).toEqual([2, 3, 4, 5, 6, 7])
    for (const { id, type, event } of frames) {
      expect(SessionEvent.parse(event)).toMatchObject({ type, sequenceNumber: Number(id), sessionId })
    }
  })

  test('[S6] Last-Event-ID continues where the reader stopped', async () => {
    const { sessionId } = await startSession()
    await framesOf(
      await api.call('POST', `/v1/sessions/${sessionId}/messages`, {
        body: { text: 'Hello' },
        headers: { accept: 'text/event-stream' },
      }),
    )
    const headers = { 'last-event-id': '4' }
    const frames = await framesOf(
      await api.call('GET', `/v1/sessions/${sessionId}/events`, { headers }),
      ended,
    )
    expect(frames.map(({ event }) => [event.fromSequence, event.sequenceNumber])).toEqual([
      [3, 6],
      [undefined, 7],
    ])
  })

  test('an Idempotency-Key makes a retry harmless', async () => {
    const { sessionId } = await startSession()
    const say = (text: string) =>
      api.call('POST', `/v1/sessions/${sessionId}/messages`, {
        body: { text },
        headers: { 'idempotency-key': 'k-1' },
      })
    const first = await say('Hello')
    await framesOf(await api.call('GET', `/v1/sessions/${sessionId}/events`), ended)
    expect(await (await say('Hello')).json()).toEqual(await first.json())
    expect((await problemIn(await say('Other words'))).code).toBe('idempotency_conflict')
  })

  test('messages come in pages', async () => {
    const { sessionId } = await startSession()
    await api.call('POST', `/v1/sessions/${sessionId}/messages`, { body: { text: 'Hello' } })
    await framesOf(await api.call('GET', `/v1/sessions/${sessionId}/events`), ended)
    const first = await (await api.call('GET', `/v1/sessions/${sessionId}/messages?limit=1`)).json()
    expect(first).toMatchObject({ items: [{ sequenceNumber: 1 }], nextCursor: '1' })
    const second = await (await api.call('GET', `/v1/sessions/${sessionId}/messages?after=1&limit=5`)).json()
    expect(second).toMatchObject({ items: [{ sequenceNumber: 2 }] })
  })
})

describe('[A1] who may do what', () => {
  const guarded = ROUTES.filter(({ access }) => getLeastRole(access))

  test.each(guarded)('$key needs a token', async ({ key }) => {
    const response = await api.call(key.split(' ')[0] ?? '', pathOf(key), { token: '' })
    expect((await problemIn(response)).code).toBe('unauthenticated')
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  test.each(guarded)('$key refuses a made-up token', async ({ key }) => {
    const response = await api.call(key.split(' ')[0] ?? '', pathOf(key), { token: 'made-up-and-unknown' })
    expect((await problemIn(response)).code).toBe('unauthenticated')
  })

  test.each(guarded.filter(({ access }) => getLeastRole(access) === 'viewer'))(
    '$key is not for guests',
    async ({ key }) => {
      const response = await api.call(key.split(' ')[0] ?? '', pathOf(key), { token: tokenOf('guest') })
      expect((await problemIn(response)).code).toBe('forbidden')
    },
  )

  test('the list of voices names the role that it needs', async () => {
    const refused = await problemIn(await api.call('GET', '/v1/voices', { token: tokenOf('guest') }))
    expect(refused).toMatchObject({ code: 'forbidden', detail: expect.stringContaining('admins') })
  })

  test.each(['/v1/tools/retrieve-context', '/v1/webhooks/elevenlabs'])(
    '%s is not for tokens, so its refusal asks for none',
    async (path) => {
      const response = await api.call('POST', path, { body: {} })
      expect(response.headers.get('www-authenticate')).toBeNull()
      const { code, detail } = await problemIn(response)
      expect(code).toBe('unauthenticated')
      expect(detail).not.toMatch(/_|[Tt]oken/)
    },
  )

  test('without a token only health and links are readable; a guest uses one session', () => {
    expect(openTo('anyone')).toEqual([
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
      'GET /v1/openapi.json',
      'POST /v1/sign-in',
      'DELETE /v1/sign-in',
      'GET /v1/r/{token}',
      'POST /v1/r/{token}/sessions',
      'GET /v1/mobile/r/{token}',
      'POST /v1/mobile/r/{token}/sessions',
    ])
    const reached = openTo('guest').filter((key) => key !== 'GET /v1/me')
    for (const key of reached) expect(key).toContain('/sessions/{sessionId}')
    for (const part of ['export', 'fork', 'approvals', 'resume', 'compact', 'trim', 'PATCH', 'DELETE']) {
      expect(reached.join(' ')).not.toContain(part)
    }
  })

  test('every served route is in the table', async () => {
    const { paths } = (await (await api.call('GET', '/v1/openapi.json')).json()) as {
      paths: Record<string, object>
    }
    const served = Object.entries(paths).flatMap(([at, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${at}`),
    )
    expect(served.length).toBeGreaterThan(5)
    expect(ROUTES.map(({ key }) => key)).toEqual(expect.arrayContaining(served))
  })

  test('[A3] a session is for its own person and for admins; to others it does not exist', async () => {
    const { sessionId } = await startSession(tokenOf('viewer'))
    const read = async (token: string) =>
      (await api.call('GET', `/v1/sessions/${sessionId}`, { token })).status
    expect(await read(tokenOf('viewer'))).toBe(200)
    expect(await read(tokenOf('admin'))).toBe(200)
    expect(await read(tokenOf('viewer', 'other' as 'viewer'))).toBe(404)
    expect(await read(tokenOf('operator'))).toBe(404)
  })

  test('[A3] only the owner sends an agent or its folder', async () => {
    const agent = { id: 'mine', model: 'scripted', provider: 'test' }
    expect((await start(tokenOf('owner'), { agent })).status).toBe(201)
    expect((await problemIn(await start(tokenOf('admin'), { agent }))).code).toBe('forbidden')
    const context = { workingDir: '/', fsScopeTier: 'full' }
    expect((await start(tokenOf('owner'), { context })).status).toBe(201)
    expect((await problemIn(await start(tokenOf('admin'), { context }))).code).toBe('forbidden')
  })
})

describe('bad input', () => {
  test.each<[string, string, string, unknown, number, ErrorCode]>([
    ['an unknown path', 'GET', '/v1/nothing', undefined, 404, 'not_found'],
    ['a method that is not there', 'DELETE', '/v1/me', undefined, 405, 'method_not_allowed'],
    ['an id of another kind', 'GET', '/v1/sessions/msg_1', undefined, 400, 'validation'],
    ['a session that is not there', 'GET', '/v1/sessions/ses_nobody', undefined, 404, 'session_not_found'],
    ['a body that is not JSON', 'POST', '/v1/sessions', '{"channel":', 400, 'validation'],
    ['a key that nobody knows', 'POST', '/v1/sessions', { chanel: 'text' }, 400, 'validation'],
    ['an agent that is not there', 'POST', '/v1/sessions', { agentId: 'nobody' }, 404, 'agent_not_found'],
    ['an empty message', 'POST', '/v1/sessions/ses_nobody/messages', { text: '' }, 400, 'validation'],
    ['a limit that is no number', 'GET', '/v1/sessions?limit=many', undefined, 400, 'validation'],
  ])('%s', async (_, method, path, body, status, code) => {
    const response = await api.call(method, path, { body })
    expect(response.status).toBe(status)
    expect((await problemIn(response)).code).toBe(code)
  })

  test('an unknown parameter of a query is refused, with the one that was probably meant', async () => {
    const { detail } = await problemIn(await api.call('GET', '/v1/sessions?limti=1'))
    expect(detail).toBe('unknown key "limti"; did you mean "limit"?')
  })

  test('a body with another content type is refused', async () => {
    const response = await api.call('POST', '/v1/sessions', {
      body: 'hello',
      headers: { 'content-type': 'text/plain' },
    })
    expect((await problemIn(response)).code).toBe('unsupported_media_type')
  })

  test.each([
    ['POST', '/v1/sessions', 201],
    ['POST', '/v1/sign-in', 400],
    ['PATCH', '/v1/sessions/ses_nobody', 400],
  ])('an empty body is no body, whatever its content type: %s %s', async (method, path, status) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      const response = await api.call(method, path, { body: '', headers: { 'content-type': type } })
      expect(response.status).toBe(status)
    }
  })

  test('a request without a body needs no content type', async () => {
    const { sessionId } = await startSession()
    const response = await api.call('POST', `/v1/sessions/${sessionId}/cancel`)
    expect(await response.json()).toEqual({ cancelled: false })
  })

  test('a message that is too long is refused with the limit, and the session continues', async () => {
    const { sessionId } = await startSession()
    const say = (text: string) => api.call('POST', `/v1/sessions/${sessionId}/messages`, { body: { text } })
    expect((await problemIn(await say('x'.repeat(MAX_MESSAGE_LENGTH + 1)))).detail).toContain(
      `${MAX_MESSAGE_LENGTH}`,
    )
    expect((await problemIn(await say('x'.repeat(10_000_000)))).code).toBe('payload_too_large')
    expect((await say('Short.')).status).toBe(202)
  })

  test('an internal error reveals no details', async () => {
    const broken = await testApi(createScriptedModel([]), {
      ready: async () => {
        throw new Error('password of the database is swordfish')
      },
    })
    const response = await broken.call('GET', '/readyz')
    const text = await response.text()
    await broken.close()
    expect(response.status).toBe(500)
    expect(text).not.toContain('swordfish')
    expect(Problem.parse(JSON.parse(text)).code).toBe('internal')
  })
})

describe('operation', () => {
  test('health, readiness and metrics need no token', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await api.call('GET', path, { token: '' })).status).toBe(200)
    }
    expect(await (await api.call('GET', '/metrics')).text()).toContain(
      'parley_http_request_duration_seconds_bucket',
    )
  })

  test('a request keeps its id, and gets one if it has none', async () => {
    const given = await api.call('GET', '/healthz', { headers: { 'x-request-id': 'my-id' } })
    expect(given.headers.get('x-request-id')).toBe('my-id')
    const made = await api.call('GET', '/healthz', { headers: { 'x-request-id': 'not an id!' } })
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('logs hold neither tokens nor messages', async () => {
    const { sessionId } = await startSession()
    await api.call('POST', `/v1/sessions/${sessionId}/messages`, { body: { text: 'a private matter' } })
    await api.call('GET', '/v1/me', { token: 'made-up-and-unknown' })
    const log = api.logged.join('\n')
    expect(log).toContain('"route":"/v1/sessions/{sessionId}/messages"')
    expect(log).not.toMatch(/made-up|a private matter/)
  })

  test('every response has security headers', async () => {
    for (const path of ['/', '/v1/me', '/healthz']) {
      const { headers } = await api.call('GET', path)
      expect(headers.get('content-security-policy')).toContain("script-src 'self'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
    }
  })

  describe('the OpenAPI 3.1 document', () => {
    let document: {
      readonly paths: Record<
        string,
        Record<string, { operationId: string; tags: string[]; security?: object[] }>
      >
      readonly components: { readonly schemas: Record<string, object> }
    }
    beforeAll(async () => {
      document = await (await api.call('GET', '/v1/openapi.json', { token: '' })).json()
    })

    test('describes every endpoint of the table under its name, tag and access', () => {
      const served = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId, tags, security }]) => ({
          key: `${method} ${path}`,
          operationId,
          tags,
          isOpen: security?.length === 0,
        })),
      )
      const wanted = Object.entries(ENDPOINTS).map(([operationId, { method, path, tag, access }]) => ({
        key: `${method} ${path}`,
        operationId,
        tags: [tag],
        isOpen: access === 'anyone',
      }))
      expect(new Set(served)).toEqual(new Set(wanted))
    })

    test('names its schemas, has discriminators for unions, and describes authentication', () => {
      expect(document).toMatchObject({
        openapi: '3.1.0',
        servers: [{ url: '/' }],
        security: [{ bearer: [] }],
        components: {
          securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
          schemas: {
            SessionView: { type: 'object' },
            DurableContentPart: { discriminator: { propertyName: 'type' } },
            SessionEventAgentToken: { properties: { type: { enum: ['agent:token'] } } },
          },
        },
        paths: {
          '/v1/sessions': {
            post: {
              requestBody: {
                content: {
                  'application/json': { schema: { $ref: '#/components/schemas/StartAnySession' } },
                },
              },
            },
          },
        },
      })
      const named = Object.keys(document.components.schemas)
      const used = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
        ([, name]) => name,
      )
      expect(new Set(named)).toEqual(new Set(used))
    })
  })
})

const VOICES: readonly ProviderVoice[] = [{ voiceId: 'slt', name: 'Slt', kind: 'stock' }]

const speaking = (listVoices: VoiceProvider['listVoices']) => ({
  voice: { provider: { listVoices } as VoiceProvider } as NonNullable<Services['voice']>,
})

test.each<[string, Parameters<typeof testApi>[1], number, unknown]>([
  ['the provider’s voices are listed', speaking(async () => VOICES), 200, { items: VOICES }],
  ['none are where nothing is spoken', {}, 200, { items: [] }],
  [
    'the error names a provider that does not answer',
    speaking(() => Promise.reject(new PlatformError('provider_unavailable', { message: 'It is away.' }))),
    503,
    { code: 'provider_unavailable' },
  ],
])('%s', async (_, services, status, answer) => {
  const apiOfRow = await testApi(createScriptedModel([]), services)
  const response = await apiOfRow.call('GET', '/v1/voices', { token: tokenOf('admin') })
  expect({ status: response.status, answer: await response.json() }).toMatchObject({ status, answer })
  await apiOfRow.close()
})
