import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '@parley/contracts'
import { ToolConfig } from '../agents/tool-document.ts'
import { type WebhookRequest, buildAddress, buildRequest } from './build-request.ts'
import { buildInputSchema, collectParameters } from './parameters.ts'
import type { VariableValues } from './variables.ts'

function parseWebhookTool(api_schema: unknown): Extract<ToolConfig, { type: 'webhook' }> {
  const config = ToolConfig.parse({ type: 'webhook', name: 'look_up', description: 'Looks up.', api_schema })
  if (config.type !== 'webhook') throw new Error('not a webhook tool')
  return config
}

const OPEN = { headers: {}, isFromClient: () => true, hasSecrets: false }

const createTextProperty = (description: string) => ({ type: 'string', description })

test.each<[string, unknown, Json, VariableValues, Partial<WebhookRequest> | string]>([
  ['a plain address', { url: 'http://h/a' }, {}, {}, { url: 'http://h/a', method: 'GET' }],
  [
    'a path parameter, which cannot leave its place',
    { url: 'http://h/a/{id}/b', path_params_schema: { id: createTextProperty('Which') } },
    { id: '../x?y=1#z' },
    {},
    { url: 'http://h/a/..%2Fx%3Fy%3D1%23z/b' },
  ],
  [
    'a variable in the path, which cannot leave its place either',
    { url: 'http://h/{{user}}/b' },
    {},
    { user: 'a/../../admin' },
    { url: 'http://h/a%2F..%2F..%2Fadmin/b' },
  ],
  [
    'a variable as the host',
    { url: '{{base}}/a' },
    {},
    { base: 'http://h:8080' },
    { url: 'http://h:8080/a' },
  ],
  [
    'a variable that has no value',
    { url: 'http://h/{{user}}' },
    {},
    {},
    'the address needs the variable user',
  ],
  [
    'an address of another kind',
    { url: 'file:///etc/passwd' },
    {},
    {},
    'the address is not an http or https one',
  ],
  [
    'a query',
    {
      url: 'http://h/a',
      query_params_schema: {
        properties: { q: createTextProperty('What'), n: { type: 'integer', constant_value: 3 } },
        required: ['q'],
      },
    },
    { q: 'pear & tree' },
    {},
    { url: 'http://h/a?q=pear+%26+tree&n=3' },
  ],
  [
    'a query that the model left out',
    {
      url: 'http://h/a',
      query_params_schema: { properties: { q: createTextProperty('What') }, required: ['q'] },
    },
    {},
    {},
    'q is missing',
  ],
  [
    'a JSON body from all three sources, nested',
    {
      url: 'http://h/a',
      method: 'POST',
      request_body_schema: {
        type: 'object',
        required: ['query', 'of'],
        properties: {
          query: createTextProperty('What'),
          of: {
            type: 'object',
            properties: {
              session: { type: 'string', dynamic_variable: 'session_id' },
              version: { type: 'number', constant_value: 2 },
              greeting: { type: 'string', constant_value: 'Hello {{name}}' },
            },
          },
          tags: { type: 'array', description: 'Tags', items: createTextProperty('One') },
        },
      },
    },
    { query: 'pear', tags: ['a', 'b'], of: { session: 'forged', version: 9 } },
    { session_id: 'ses_1', name: 'Ada' },
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: 'pear',
        of: { session: 'ses_1', version: 2, greeting: 'Hello Ada' },
        tags: ['a', 'b'],
      }),
    },
  ],
  [
    'a form',
    {
      url: 'http://h/a',
      method: 'POST',
      content_type: 'application/x-www-form-urlencoded',
      request_body_schema: { type: 'object', properties: { a: createTextProperty('A') } },
    },
    { a: 'x y' },
    {},
    { body: 'a=x+y', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ],
  [
    'a value of the wrong type',
    {
      url: 'http://h/a',
      method: 'POST',
      request_body_schema: { type: 'object', properties: { n: { type: 'integer', description: 'N' } } },
    },
    { n: 'many' },
    {},
    'n must be of the type integer',
  ],
])('[X2] builds %s', (_, schema, input, variables, expected) => {
  const built = buildRequest(parseWebhookTool(schema), input, { ...OPEN, variables })
  expect(built).toMatchObject(
    typeof expected === 'string'
      ? { kind: 'invalid', reason: expected }
      : { kind: 'built', request: expected },
  )
})

test('[X2] the model’s schema contains only parameters it fills in', () => {
  const config = parseWebhookTool({
    url: 'http://h/{id}',
    method: 'POST',
    path_params_schema: { id: { type: 'string', dynamic_variable: 'conversation_id' } },
    request_body_schema: {
      type: 'object',
      required: ['query', 'secret'],
      properties: {
        query: createTextProperty('What'),
        kind: { type: 'string', description: 'Kind', enum: ['a', 'b'] },
        secret: { type: 'string', constant_value: 'made-up' },
        left: { type: 'string', is_omitted: true },
      },
    },
  })
  expect(buildInputSchema(collectParameters(config), {})).toEqual({
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What' },
      kind: { type: 'string', description: 'Kind', enum: ['a', 'b'] },
    },
    required: ['query'],
    additionalProperties: false,
  })
})

test('[X2] no input of a model or a client changes the configured server', () => {
  const config = parseWebhookTool({
    url: 'http://api.test/v1/{id}/{{user}}?k={{user}}',
    path_params_schema: { id: createTextProperty('Which') },
  })
  fc.assert(
    fc.property(fc.string(), fc.string(), (id, user) => {
      const built = buildRequest(config, { id }, { ...OPEN, variables: { user } })
      if (built.kind === 'invalid') return
      const url = new URL(built.request.url)
      expect(url.host).toBe('api.test')
      expect(url.pathname.startsWith('/v1/')).toBe(true)
    }),
  )
})

const OURS = { path: {}, isFromClient: () => false, hasSecrets: true }
const CLIENTS = { path: {}, isFromClient: () => true, hasSecrets: true }

const stringMatching = (pattern: RegExp): unknown => expect.stringMatching(pattern)

test.each<[string, string, VariableValues, string | RegExp]>([
  ['a part of a name', 'https://{{region}}.api.test/a', { region: 'eu-1' }, 'https://eu-1.api.test/a'],
  ['a whole name', 'http://{{host}}/a', { host: 'api.test' }, 'http://api.test/a'],
  ['a port', 'http://api.test:{{port}}/a', { port: 8080 }, 'http://api.test:8080/a'],
  ['the usual port', 'http://api.test:{{port}}/a', { port: '80' }, 'http://api.test/a'],
  ['a whole origin with a path', '{{base}}/a', { base: 'http://api.test/v1/' }, 'http://api.test/v1/a'],
  [
    'another host before a path',
    'https://{{region}}.api.test/a',
    { region: 'evil.test/' },
    /no part of a host/,
  ],
  ['a person before a host', 'https://{{region}}api.test/a', { region: 'evil.test@' }, /no part of a host/],
  ['a host after a person', 'https://api.test{{rest}}/a', { rest: '@evil.test' }, /no part of a host/],
  ['a port where none is', 'https://api.test{{rest}}/a', { rest: ':8080' }, /no part of a host/],
  ['a port that is more', 'http://api.test:{{port}}/a', { port: '80@evil.test' }, /no part of a host/],
  ['a question', 'https://{{region}}.api.test/a', { region: 'evil.test?' }, /no part of a host/],
  ['a line', 'https://{{region}}.api.test/a', { region: 'evil.test\n' }, /no part of a host/],
  ['nothing', 'https://{{region}}.api.test/a', { region: '' }, /no part of a host/],
  [
    'an origin with a person',
    '{{base}}/a',
    { base: 'http://api.test@evil.test' },
    /not an http or https address/,
  ],
  ['an origin of another kind', '{{base}}/a', { base: 'file:///etc' }, /not an http or https address/],
  ['a variable that is not set', 'http://{{host}}/a', {}, /needs the variable host/],
])('[X2] the host of a tool with %s', (_, template, variables, expected) => {
  const address = buildAddress(template, { ...OURS, variables })
  const told = address.kind === 'address' ? address.url.href : address.reason
  expect(told).toEqual(typeof expected === 'string' ? expected : stringMatching(expected))
})

test.each<[string, string, VariableValues, boolean]>([
  ['the whole origin', '{{base}}/a', { base: 'http://evil.test' }, false],
  ['the whole host', 'http://{{host}}/a', { host: 'evil.test' }, false],
  ['the end of the host', 'http://api.{{domain}}/a', { domain: 'evil.test' }, false],
  ['most of the host', 'http://{{name}}.test/a', { name: 'evil' }, false],
  ['the beginning of a domain', 'http://{{name}}api.test/a', { name: 'evil' }, false],
  ['a name within a domain', 'http://{{name}}.api.test/a', { name: 'eu' }, true],
  ['a path', 'http://api.test/{{name}}', { name: 'eu' }, true],
])('[X2] a client that chooses %s of a tool with secrets', (_, template, variables, isSent) => {
  expect(buildAddress(template, { ...CLIENTS, variables })).toMatchObject(
    isSent ? { kind: 'address' } : { kind: 'invalid', reason: stringMatching(/the client chose the server/) },
  )
  expect(buildAddress(template, { ...CLIENTS, variables, hasSecrets: false }).kind).toBe('address')
  expect(buildAddress(template, { ...OURS, variables }).kind).toBe('address')
})

test('[X2] no variable changes the fixed domain of the address', () => {
  const unit = fc.constantFrom('a', '1', '.', '-', '@', ':', '/', '?', '#', '\\', '%')
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit })), (region) => {
      const address = buildAddress('https://{{region}}.api.test/a', { ...CLIENTS, variables: { region } })
      expect(address.kind === 'invalid' || address.url.hostname.endsWith('.api.test')).toBe(true)
    }),
  )
})
