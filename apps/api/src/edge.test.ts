import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { type ErrorCode, Problem, SessionView } from '@parley/contracts'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { testApi, tokenOf } from './testing/test-api.ts'

let api: Awaited<ReturnType<typeof testApi>>
beforeAll(async () => {
  api = await testApi(
    createScriptedModel(Array.from({ length: 10 }, () => createAnswerScript('Good day to you.'))),
  )
})
afterAll(() => api.close())

/** A body sent as it is. */
async function send(path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') {
  const headers = { authorization: `Bearer ${tokenOf('owner')}`, 'content-type': type }
  const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body })
  const answer: unknown = await response.json()
  return { status: response.status, problem: Problem.safeParse(answer).data }
}

const AGENT = '{"id":"mine","model":"scripted","provider":"test"'
const brackets = (count: number) => '['.repeat(count) + ']'.repeat(count)

describe('a malformed body', () => {
  test.each<[string, string, string, number, ErrorCode, string]>([
    [
      'of a type that only begins like JSON',
      '{}',
      'application/json-evil',
      415,
      'unsupported_media_type',
      'application/json',
    ],
    [
      'of a type with a loose end',
      '{}',
      'application/json;',
      415,
      'unsupported_media_type',
      'application/json',
    ],
    ['that is one deep hole', brackets(100_000), 'application/json', 400, 'validation', 'more than 64 deep'],
    [
      'that is a hole of all that fits',
      '['.repeat(7_000_000),
      'application/json',
      400,
      'validation',
      'more than 64 deep',
    ],
    [
      'with a hole in its agent',
      `{"agent":${AGENT},"input_schema":{"default":${brackets(100_000)}}}}`,
      'application/json',
      400,
      'validation',
      'more than 64 deep',
    ],
    [
      'with a dent in its agent',
      `{"agent":${AGENT},"input_schema":{"default":${brackets(40)}}}}`,
      'application/json',
      400,
      'validation',
      'agent.input_schema: at most',
    ],
    [
      'with a tool that nobody has',
      `{"agent":${AGENT},"tools":["raed_file"]}}`,
      'application/json',
      400,
      'validation',
      'agent.tools.0: there is no tool "raed_file"; did you mean "read_file"?',
    ],
    [
      'with an MCP server that this server does not have',
      `{"agent":${AGENT},"mcp_servers":["noets"]}}`,
      'application/json',
      400,
      'validation',
      'agent.mcp_servers.0: there is no MCP server "noets"; did you mean "notes"?',
    ],
    [
      'with an MCP server like none of this server',
      `{"agent":${AGENT},"mcp_servers":["notes","zz"]}}`,
      'application/json',
      400,
      'validation',
      'agent.mcp_servers.1: there is no MCP server "zz"; this server has notes',
    ],
    [
      'with half of a character in its title',
      '{"title":"half \\ud83d"}',
      'application/json',
      400,
      'validation',
      'title: no U+0000',
    ],
    [
      'with a key that is misspelt',
      `{"agent":${AGENT},"sytem_prompt":"hi"}}`,
      'application/json',
      400,
      'validation',
      'agent: unknown key "sytem_prompt"; did you mean "system_prompt"?',
    ],
  ])('%s', async (_, body, type, status, code, detail) => {
    const answer = await send('/v1/sessions', body, type)
    expect(answer).toMatchObject({ status, problem: { code, detail: expect.stringContaining(detail) } })
  })

  test('bytes that are not UTF-8 are refused, not replaced', async () => {
    const body = Buffer.concat([Buffer.from('{"title":"caf'), Buffer.from([0xe9]), Buffer.from('"}')])
    const { status, problem } = await send('/v1/sessions', new Uint8Array(body))
    expect({ status, detail: problem?.detail }).toEqual({
      status: 400,
      detail: 'The body is not UTF-8 text.',
    })
  })

  test('a body that breaks off is no server error', async () => {
    const headers = {
      authorization: `Bearer ${tokenOf('owner')}`,
      'content-type': 'application/json',
      'content-length': 100,
    }
    const call = request(`${api.url}/v1/sessions`, { method: 'POST', headers })
    call.on('error', () => {})
    call.write('{"title":')
    call.flushHeaders()
    await once(call, 'socket')
    call.destroy()
    await expect.poll(() => api.logged.some((line) => line.includes('"status":400'))).toBe(true)
    expect(api.logged.join('')).not.toContain('request failed')
  })

  test('brackets in a message do not count as nesting', async () => {
    const opened = await api.call('POST', '/v1/sessions', {
      body: {},
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    const { sessionId } = SessionView.parse(await opened.json())
    const said = `a quote: " and a backslash: \\ ${'[{'.repeat(1_000)}`
    const { status } = await send(`/v1/sessions/${sessionId}/messages`, JSON.stringify({ text: said }))
    expect(status).toBe(202)
  })
})

describe('an empty body with a JSON type', () => {
  const headers = { authorization: `Bearer ${tokenOf('owner')}`, 'content-type': 'application/json' }
  const post = (path: string, body?: ReadableStream) =>
    fetch(`${api.url}${path}`, { method: 'POST', headers, ...(body && { body, duplex: 'half' }) })

  test.each(['of length 0', 'sent in no chunks'])('%s is an object without keys', async (kind) => {
    const nothing = () =>
      kind === 'of length 0' ? undefined : new ReadableStream({ start: (controller) => controller.close() })
    const opened = await post('/v1/sessions', nothing())
    expect(opened.status).toBe(201)
    const { sessionId } = SessionView.parse(await opened.json())
    expect((await post(`/v1/sessions/${sessionId}/resume`, nothing())).status).toBe(200)
    const { detail } = Problem.parse(
      await (await post(`/v1/sessions/${sessionId}/messages`, nothing())).json(),
    )
    expect(detail).toBe('text: is missing')
  })
})

test.each<[string, string, unknown, string]>([
  ['GET', '/v1/sessions?limit=abc', undefined, 'limit: must be a number'],
  ['GET', '/v1/sessions?limit=0', undefined, 'limit: must be at least 1'],
  ['GET', '/v1/sessions?search=', undefined, 'search: must not be empty'],
  ['POST', '/v1/sessions', { title: 7, zork: 1 }, 'title: must be text, not a number; unknown key "zork"'],
  ['POST', '/v1/sessions', { channel: 'smell' }, 'channel: must be text or voice'],
  ['POST', '/v1/sessions', [], 'must be an object, not a list'],
  [
    'POST',
    '/v1/sessions/ses_1/approvals/c',
    { decision: 'x' },
    'decision: must be one of "allow", "allow_session", "refuse"',
  ],
])('%s %s: the error describes the problem (%j)', async (method, path, body, detail) => {
  const response = await api.call(method, path, body === undefined ? {} : { body })
  expect(Problem.parse(await response.json())).toMatchObject({ status: 400, detail })
})

test.each(['2147483648', '99999999999999999999', '1e400', '-1'])(
  'nobody reads on after %s',
  async (after) => {
    for (const kind of ['messages', 'events']) {
      const response = await api.call('GET', `/v1/sessions/ses_nobody/${kind}?after=${after}`)
      expect(Problem.parse(await response.json())).toMatchObject({ status: 400, code: 'validation' })
    }
  },
)

const calledAs = async (host: string, path: string) => {
  const call = request(`${api.url}${path}`, {
    headers: { host, authorization: `Bearer ${tokenOf('owner')}` },
  })
  call.end()
  const [response] = await once(call, 'response')
  return { status: response.statusCode as number, body: await text(response) }
}

describe('the name in the Host header', () => {
  test.each(['localhost', 'LOCALHOST:4400', '127.0.0.1', '127.0.0.1:1', '[::1]:4400', 'parley.example.org'])(
    'it answers as %s',
    async (host) => {
      expect((await calledAs(host, '/v1/me')).status).toBe(200)
    },
  )

  test.each(['evil.example', 'localhost.evil.example:4400', '127.0.0.1.nip.io', 'localhost.', '10.0.0.1'])(
    'it does not answer as %s',
    async (host) => {
      for (const path of ['/v1/me', '/healthz', '/metrics', '/']) {
        const { status, body } = await calledAs(host, path)
        expect(status).toBe(403)
        expect(Problem.parse(JSON.parse(body)).detail).toContain('Host header')
      }
    },
  )
})

test('no cache stores responses of the API', async () => {
  for (const path of ['/v1/me', '/v1/sessions', '/v1/sessions/ses_nobody', '/v1/nothing']) {
    expect((await api.call('GET', path)).headers.get('cache-control')).toBe('no-store')
  }
  expect((await api.call('GET', '/v1/me', { token: '' })).headers.get('cache-control')).toBe('no-store')
})

test.each([
  ['DELETE', '/v1/me', 'GET, HEAD'],
  ['PUT', '/v1/sessions', 'GET, HEAD, POST'],
  ['GET', '/v1/sessions/ses_nobody/cancel', 'POST'],
])('%s %s gets a list of the allowed methods', async (method, path, allow) => {
  const response = await api.call(method, path)
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe(allow)
})

test('a failed stream is logged; its error is neither printed nor sent', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { sessions, store } = api.services
  const broken = await testApi(createScriptedModel([]), {
    store,
    sessions: {
      ...sessions,
      async *streamEvents() {
        yield await Promise.reject(new Error('password of the database is swordfish'))
      },
    },
  })
  const { sessionId } = SessionView.parse(
    await (await broken.call('POST', '/v1/sessions', { body: {} })).json(),
  )
  const heard = await broken
    .call('GET', `/v1/sessions/${sessionId}/events`)
    .then((response) => response.text())
    .catch(String)
  expect(heard).not.toContain('swordfish')
  expect(broken.logged.join('')).toContain('swordfish')
  expect(printed).not.toHaveBeenCalled()
  printed.mockRestore()
  await broken.close()
})
