import { once } from 'node:events'
import { type IncomingHttpHeaders, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '@parley/contracts'
import { type VariableValues, createSecretMask } from './variables.ts'
import { ToolConfig } from '../agents/tool-document.ts'
import { createWebhookTool } from './webhook-tool.ts'

interface ModelReply {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const asked: ModelReply[] = []
let server: Server
let base = ''

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push({
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      })
      switch (new URL(request.url ?? '', 'http://h').pathname) {
        case '/json':
          return response
            .setHeader('content-type', 'application/json')
            .end('{"user":{"name":"Ada","key":"abc"},"list":[1,2]}')
        case '/echo':
          return response.end(`you sent ${String(request.headers['x-key'])}`)
        case '/token':
          return response.end(
            JSON.stringify({
              token: String(request.headers['x-token']).slice(7),
              fresh: 'made-up-fresh-token',
            }),
          )
        case '/refused':
          return response.writeHead(403).end(`${'x'.repeat(1_960)}${String(request.headers['x-key'])}`)
        case '/moved':
          return response.writeHead(302, { location: '/json' }).end()
        case '/round':
          return response.writeHead(302, { location: '/round' }).end()
        case '/broken':
          return response.writeHead(500).end('database password is hunter2')
        case '/large':
          return response.end('x'.repeat(2_000_000))
        case '/binary':
          return response.end(Buffer.from([0, 1, 2]))
        default:
          // Never answers.
          return undefined
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function createTool(
  path: string,
  given: Record<string, unknown> = {},
  schema: Record<string, unknown> = {},
  variables: VariableValues = {},
  isFromClient = () => false,
) {
  const config = ToolConfig.parse({
    type: 'webhook',
    name: 'ask',
    description: 'Asks {{who}}.',
    ...given,
    api_schema: { url: `${base}${path}`, ...schema },
  })
  if (config.type !== 'webhook') throw new Error('not a webhook tool')
  const assigned: Record<string, Json>[] = []
  const tool = createWebhookTool(config, {
    variables: () => variables,
    assign: (values) => void (Object.keys(values).length > 0 && assigned.push({ ...values })),
    isFromClient,
    secrets: createSecretMask(),
    readSecret: async (id) => (id === 'sec_1' ? 'made-up-secret' : undefined),
    readEnvironmentValue: async (label) => (label === 'REGION' ? 'north' : undefined),
  })
  return {
    tool,
    assigned,
    run: (signal = new AbortController().signal) => tool.run({ id: 'call_1', input: {} }, signal),
  }
}

test('[X2] sends headers from texts, secrets, variables and environment', async () => {
  const request_headers = {
    'x-key': { secret_id: 'sec_1' },
    'x-who': { variable_name: 'who' },
    'x-token': 'Bearer {{secret__token}}',
    'x-region': { env_var_label: 'REGION' },
    'x-plain': 'plain',
  }
  const { tool, run } = createTool(
    '/echo',
    {},
    { request_headers },
    { who: 'Ada', secret__token: 'made-up-token' },
  )
  expect(tool.declaration.description).toBe('Asks Ada.')
  const result = await run()
  expect(asked.at(-1)?.headers).toMatchObject({
    'x-key': 'made-up-secret',
    'x-who': 'Ada',
    'x-token': 'Bearer made-up-token',
    'x-region': 'north',
    'x-plain': 'plain',
  })
  // A server that repeats a secret does not get it to the model.
  expect(result).toEqual({ kind: 'ok', text: 'you sent [secret x-key]' })
})

test('[X2] sets variables from the answer and hides values from the model', async () => {
  const assignments = [
    { dynamic_variable: 'name', value_path: 'user.name' },
    { dynamic_variable: 'second', value_path: 'list.1' },
    { dynamic_variable: 'list', value_path: 'list', preserve_native_type: true },
    { dynamic_variable: 'as_text', value_path: 'list' },
    { dynamic_variable: 'key', value_path: 'user.key', sanitize: true },
    { dynamic_variable: 'nothing', value_path: 'user.age' },
    { dynamic_variable: 'system__conversation_id', value_path: 'user.name' },
  ]
  const { run, assigned } = createTool('/json', { assignments })
  expect(await run()).toEqual({ kind: 'ok', text: '{"list":[1,2],"user":{"name":"Ada"}}' })
  expect(assigned).toEqual([{ name: 'Ada', second: 2, list: [1, 2], as_text: '[1,2]', key: 'abc' }])
})

test.each<[string, string, Record<string, unknown>, Record<string, unknown>, RegExp, RegExp]>([
  ['a server error, hidden from the model', '/broken', {}, {}, /500: database/, /^The tool failed\. Say/],
  [
    'an error that is passed on',
    '/broken',
    { tool_error_handling_mode: 'passthrough' },
    {},
    /500/,
    /hunter2/,
  ],
  [
    'an error in short',
    '/broken',
    { tool_error_handling_mode: 'summarized' },
    {},
    /500/,
    /^The tool failed: the server answered 500\.$/,
  ],
  ['a redirect that is not wanted', '/moved', {}, {}, /302, and redirects are not followed/, /failed/],
  ['redirects without end', '/round', { follow_redirects: true }, {}, /more than 5 times/, /failed/],
  ['an answer that is too large', '/large', {}, {}, /larger than/, /failed/],
  ['an answer that is no text', '/binary', {}, {}, /not text/, /failed/],
  [
    'a secret that is not there',
    '/echo',
    {},
    { request_headers: { 'x-key': { secret_id: 'sec_2' } } },
    /the secret sec_2 is not set/,
    /failed/,
  ],
  [
    'a variable that is not there',
    '/echo',
    {},
    { request_headers: { 'x-key': '{{key}}' } },
    /the variable key is not set/,
    /failed/,
  ],
])('[X2] reports %s', async (_, path, given, schema, problem, text) => {
  const result = await createTool(path, given, schema).run()
  expect(result.kind).toBe('failed')
  expect(result.problem).toMatch(problem)
  expect(result.text).toMatch(text)
})

test('[X2] a header’s value cannot bring another header', async () => {
  const { run } = createTool(
    '/echo',
    {},
    { request_headers: { 'x-key': '{{key}}' } },
    { key: 'a\r\nx-admin: yes' },
  )
  expect((await run()).problem).toMatch(/value that no header can have/)
})

test('[X2] follows a redirect if configured', async () => {
  expect(await createTool('/moved', { follow_redirects: true }).run()).toMatchObject({ kind: 'ok' })
})

test('[X2] cancels a call with its turn', async () => {
  const abort = new AbortController()
  const before = asked.length
  const running = createTool('/never').run(abort.signal)
  await expect.poll(() => asked.length).toBe(before + 1)
  abort.abort()
  expect(await running).toMatchObject({ kind: 'failed', problem: 'the call was cancelled' })
})

test('[X2] an unreachable server is reported', async () => {
  const config = ToolConfig.parse({
    type: 'webhook',
    name: 'ask',
    description: '',
    api_schema: { url: 'http://127.0.0.1:1/' },
  })
  if (config.type !== 'webhook') throw new Error('not a webhook tool')
  const tool = createWebhookTool(config, {
    variables: () => ({}),
    assign: () => undefined,
    isFromClient: () => false,
    secrets: createSecretMask(),
    readSecret: async () => undefined,
    readEnvironmentValue: async () => undefined,
  })
  expect((await tool.run({ id: 'c', input: {} }, new AbortController().signal)).problem).toMatch(
    /could not be reached/,
  )
})

test('[X2] a secret repeated by a server reaches no stored variable and no model', async () => {
  const { run, assigned } = createTool(
    '/token',
    {
      assignments: [
        { dynamic_variable: 'token', value_path: 'token' },
        { dynamic_variable: 'secret__fresh', value_path: 'fresh' },
        { dynamic_variable: 'fresh', value_path: 'fresh' },
      ],
    },
    { request_headers: { 'x-token': 'Bearer {{secret__token}}' } },
    { secret__token: 'made-up-token' },
  )
  expect((await run()).text).toBe('{"token":"[secret secret__token]","fresh":"[secret secret__fresh]"}')
  expect(assigned).toEqual([
    {
      token: '[secret secret__token]',
      secret__fresh: 'made-up-fresh-token',
      fresh: '[secret secret__fresh]',
    },
  ])
})

test('[X2] a secret at the end of a long error is masked before truncation', async () => {
  const result = await createTool(
    '/refused',
    {},
    { request_headers: { 'x-key': { secret_id: 'sec_1' } } },
  ).run()
  expect(result.problem).not.toContain('made-up')
  expect(result.problem?.length).toBeLessThanOrEqual(2_000)
})

const createSchemaWithKey = (key: unknown) => ({ url: '{{base}}/echo', request_headers: { 'x-key': key } })

test('[X2] a client cannot choose the server that gets a secret', async () => {
  const before = asked.length
  const refused = await createTool(
    '',
    {},
    createSchemaWithKey({ secret_id: 'sec_1' }),
    { base },
    () => true,
  ).run()
  expect(refused).toMatchObject({ kind: 'failed', problem: expect.stringContaining('the client chose') })
  expect(asked).toHaveLength(before)
  const open = createTool('', {}, createSchemaWithKey('plain'), { base }, () => true)
  expect(await open.run()).toMatchObject({ kind: 'ok' })
})
