import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { ENDPOINTS } from '@parley/contracts'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testApi, tokenOf } from '../testing/test-api.ts'

let api: Awaited<ReturnType<typeof testApi>>
let served: string

beforeAll(async () => {
  api = await testApi(createScriptedModel([createAnswerScript('Good day to you.')]))
  served = await (await api.call('GET', '/v1/openapi.json', { token: '' })).text()
})
afterAll(() => api.close())

interface Operation {
  operationId: string
  parameters?: { readonly in: string; readonly name: string }[]
  readonly responses: Record<string, object>
  security?: object[]
  [name: string]: unknown
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, Record<string, unknown>>
    readonly securitySchemes: Record<string, object>
  }
}

const parsed = () => JSON.parse(served) as Document

async function problemsOf(document: unknown): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const source = JSON.stringify(document)
  const problems = await lintFromString({ source, config, absoluteRef: '/openapi.json' })
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

const operation = ({ paths }: Document) => paths['/v1/sessions/{sessionId}']?.['get'] as Operation

describe('the document passes a strict validator of OpenAPI 3.1', () => {
  test('the served document is valid', async () => {
    expect(parsed()).toMatchObject({ openapi: '3.1.0' })
    expect(await problemsOf(parsed())).toEqual([])
  })

  test.each<[string, (document: Document) => void, string]>([
    ['a wrong type in a schema', (one) => (one.components.schemas['Problem'] = { type: 'text' }), 'struct'],
    ['a key of no meaning', (one) => (operation(one)['access'] = 'viewer'), 'struct'],
    [
      'a name of no schema',
      (one) => (one.components.schemas['Problem'] = { $ref: '#/components/schemas/Nothing' }),
      'no-unresolved-refs',
    ],
    ['one id for two endpoints', (one) => (operation(one).operationId = 'getMe'), 'operation-operationId'],
    ['a path without its parameter', (one) => (operation(one).parameters = []), 'path-parameters-defined'],
    ['an unknown security scheme', (one) => (operation(one).security = [{ key: [] }]), 'security-defined'],
  ])('the validator detects %s', async (_, breakIt, rule) => {
    const broken = parsed()
    breakIt(broken)
    expect(await problemsOf(broken)).toContainEqual(expect.stringContaining(rule))
  })
})

test('every union of objects with a common field has a discriminator that names all its options', () => {
  const { schemas } = parsed().components
  const unions = Object.entries(schemas).filter(([, { discriminator }]) => discriminator)
  expect(unions.map(([name]) => name)).toEqual(
    expect.arrayContaining(['SessionEvent', 'DurableContentPart', 'AgentMemory']),
  )
  for (const [name, { oneOf, discriminator }] of unions) {
    const { mapping } = discriminator as { readonly mapping: Record<string, string> }
    const options = (oneOf as { readonly $ref: string }[]).map(({ $ref }) => $ref)
    expect([name, new Set(Object.values(mapping))]).toEqual([name, new Set(options)])
  }
})

test('a start needs no channel, so its union has no discriminator', () => {
  const { StartAnySession, StartSession, StartVoiceSession } = parsed().components.schemas
  expect(StartAnySession).not.toHaveProperty('discriminator')
  expect(StartSession?.['required']).toBeUndefined()
  expect(StartVoiceSession?.['required']).toEqual(['channel', 'reflectionId'])
})

test('a body is required exactly if the endpoint refuses a request without one', () => {
  const operations = Object.values(parsed().paths).flatMap((methods) => Object.values(methods))
  const optional = operations.flatMap(({ operationId, requestBody }) =>
    (requestBody as { readonly required?: boolean } | undefined)?.required === false ? [operationId] : [],
  )
  expect(optional.toSorted()).toEqual([
    'auditAgents',
    'changeReflection',
    'createShareLink',
    'forkSession',
    'leaveReflection',
    'previewVariables',
    'reconnectMobileSession',
    'reconnectSession',
    'renewInvitation',
    'resumeSession',
    'startMobileSession',
    'startSession',
    'syncAgents',
    'testAgents',
    'visitMobileReflection',
    'visitReflection',
  ])
})

test.each([
  ['listAuditEntries', 'Needs the role owner on the server.'],
  ['startSession', 'Needs the role viewer or a higher one on the server.'],
  ['createShareLink', 'Needs the role admin or a higher one on the reflection.'],
  ['listVoices', 'Needs the role admin or a higher one, on the server or on any reflection.'],
  ['signIn', 'Needs no token.'],
  ['retrieveContext', 'Needs the secret that the voice provider’s agents send.'],
])('the description of %s says who may call it', (name, sentence) => {
  const operations = Object.values(parsed().paths).flatMap((methods) => Object.values(methods))
  const found = operations.find(({ operationId }) => operationId === name)
  expect(String(found?.['description']).split('\n\n').at(-1)).toBe(sentence)
})

test('the voice provider has its own authentication; all others use a bearer token', () => {
  const { paths, components } = parsed()
  expect(components.securitySchemes).toMatchObject({
    bearer: { type: 'http', scheme: 'bearer' },
    toolSecret: { type: 'apiKey', in: 'header', name: 'x-tool-secret' },
    webhookSignature: { type: 'apiKey', in: 'header', name: 'elevenlabs-signature' },
  })
  expect(paths['/v1/tools/retrieve-context']?.['post']?.security).toEqual([{ toolSecret: [] }])
  expect(paths['/v1/webhooks/elevenlabs']?.['post']?.security).toEqual([{ webhookSignature: [] }])
  expect(paths['/v1/r/{token}/sessions']?.['post']?.security).toEqual([])
  expect(paths['/v1/sessions']?.['post']?.security).toBeUndefined()
})

test('exactly the idempotent endpoints and messages take an Idempotency-Key', () => {
  const operations = Object.values(parsed().paths).flatMap((methods) => Object.values(methods))
  const taking = operations.filter(({ parameters = [] }) =>
    parameters.some((one) => one.in === 'header' && one.name === 'idempotency-key'),
  )
  const marked = Object.entries(ENDPOINTS).filter(([, endpoint]) => 'idempotent' in endpoint)
  expect(new Set(taking.map(({ operationId }) => operationId))).toEqual(
    new Set(['sendMessage', ...marked.map(([name]) => name)]),
  )
})

/** Each makes the program below wrong. */
const MISTAKES = {
  'an-unknown-field': ['started.data.sessionId', 'started.data.sessionIdentity'],
  'a-body-of-another-shape': ["text: 'Hello'", 'words: 3'],
  'a-field-of-another-event': ['event.stopReason', 'event.token'],
  'an-unknown-path': ["'/v1/sessions/{sessionId}/export'", "'/v1/sessions/{sessionId}/exported'"],
} as const

describe('a client that openapi-typescript makes from the document', () => {
  let folder: string
  let errors: readonly string[]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-client-'))
    const put = (name: string, text: string) => writeFile(join(folder, name), text)
    await symlink(MODULES, join(folder, 'node_modules'))
    await put('package.json', '{"type":"module"}')
    await put('tsconfig.json', JSON.stringify(TSCONFIG))
    await put('parley.ts', astToString(await openapiTypescript(JSON.parse(served) as never)))
    await put('program.ts', PROGRAM)
    for (const [name, [right, wrong]] of Object.entries(MISTAKES)) {
      await put(`${name}.ts`, PROGRAM.replace(right, wrong))
    }
    const { stdout } = await promisify(execFile)(process.execPath, [COMPILER, '-p', folder], {
      cwd: folder,
    }).catch((failure: { readonly stdout: string }) => failure)
    errors = stdout.split('\n').filter((line) => line.includes('error TS'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('type-checks in a program that starts, sends, reads and exports', () => {
    const files = errors.map((line) => line.split('.ts(', 1)[0])
    expect(new Set(files)).toEqual(new Set(Object.keys(MISTAKES)))
  })

  test('runs that program', async () => {
    const { talk } = (await import(pathToFileURL(join(folder, 'program.ts')).href)) as {
      readonly talk: (baseUrl: string, token: string) => Promise<unknown>
    }
    expect(await talk(api.url, tokenOf('owner'))).toMatchObject({
      turnId: expect.stringMatching(/^trn_/),
      roles: ['user', 'assistant'],
      file: expect.stringContaining('Good day to you.'),
    })
  })
})

const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url))
const COMPILER = join(MODULES, 'typescript', 'bin', 'tsc')

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'ES2024',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    types: [],
    module: 'NodeNext',
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
  },
  include: ['*.ts'],
}

const PROGRAM = `
import createClient from 'openapi-fetch'
import type { components, paths } from './parley.ts'

export function describeEvent(event: components['schemas']['SessionEvent']): string {
  const at: number = event.sequenceNumber
  switch (event.type) {
    case 'agent:token':
      return at + event.token
    case 'agent:tool_call':
      return at + event.call.name
    case 'session:turn_completed':
      return at + event.stopReason
    default:
      return event.type
  }
}

export const describeProblem = ({ detail, requestId }: components['schemas']['Problem']): string =>
  detail.toUpperCase() + requestId.toUpperCase()

export async function talk(baseUrl: string, token: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + token } })

  const started = await client.POST('/v1/sessions', { body: { channel: 'text', title: 'A talk' } })
  if (!started.data) throw new Error(started.error.code)
  const path = { sessionId: started.data.sessionId }

  const sent = await client.POST('/v1/sessions/{sessionId}/messages', {
    params: { path, header: { 'idempotency-key': 'first' } },
    body: { text: 'Hello' },
  })
  if (typeof sent.data !== 'object') throw new Error(sent.error?.code)

  // Fields with a default may be left out, and a body without required fields too.
  void (() => client.POST('/v1/sessions', {}))
  void (() =>
    client.POST('/v1/sessions', { body: { channel: 'voice', reflectionId: 'rfl_1' } }))
  void (() =>
    client.POST('/v1/reflections/{reflectionId}/ask', {
      params: { path: { reflectionId: 'rfl_1' } },
      body: { query: 'When?' },
    }))

  let roles: readonly ('system' | 'user' | 'assistant' | 'tool')[] = []
  while (roles.length < 2) {
    const read = await client.GET('/v1/sessions/{sessionId}/messages', { params: { path, query: { limit: 10 } } })
    if (!read.data) throw new Error(read.error.code)
    roles = read.data.items.map(({ role }) => role)
  }

  const exported = await client.POST('/v1/sessions/{sessionId}/export', { params: { path }, parseAs: 'text' })
  return { turnId: 'turnId' in sent.data ? sent.data.turnId : undefined, roles, file: exported.data }
}
`
