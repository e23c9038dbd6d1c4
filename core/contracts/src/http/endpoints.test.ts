import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AgentAction, isReadOnlyAction } from '../agent-actions.ts'
import type { Endpoint } from './endpoint.ts'
import { ENDPOINTS, TAGS } from './endpoints.ts'
import { toActionEndpointName } from './provider-endpoints.ts'

const ROWS = Object.entries<Endpoint & { readonly tag: string }>(ENDPOINTS)

describe.each(ROWS)('%s', (_, { method, path, access, rateLimit, summary, tag, request, responses }) => {
  test('has a schema for exactly the parameters in its path', () => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    expect(new Set(Object.keys(request?.params?.shape ?? {}))).toEqual(new Set(named))
  })

  test('has a query only if it reads, and no body field with the name of a parameter', () => {
    expect(request?.query !== undefined && method !== 'get').toBe(false)
    const body = request?.body?.content['application/json']?.schema
    const fields = body instanceof z.ZodObject ? Object.keys(body.shape) : []
    expect(fields.filter((field) => field in (request?.params?.shape ?? {}))).toEqual([])
  })

  test('is for members exactly if its path names one reflection', () => {
    expect(access.startsWith('member:')).toBe(path.startsWith('/v1/reflections/{reflectionId}'))
  })

  test('has a limit for each address exactly if it needs neither a token nor the tool secret', () => {
    expect(rateLimit !== undefined).toBe(access === 'anyone' || access === 'webhook-signature')
  })

  test('reads no body unless it writes, and has a summary, a tag and a success response', () => {
    expect(method === 'get' && request?.body !== undefined).toBe(false)
    expect(summary).toMatch(/^[A-Z][^.]+$/)
    expect(Object.keys(TAGS)).toContain(tag)
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([expect.stringMatching(/^2\d\d$/)]))
  })
})

/** Bodies that the framework only describes have no Zod schema; `json` and `body` check the types of all others. */
const EXAMPLES = ROWS.flatMap(([name, { request, responses }]) => {
  const contents = [request?.body?.content, ...Object.values(responses).map(({ content }) => content)]
  return contents
    .flatMap((content) => Object.values(content ?? {}))
    .filter(({ example }) => example !== undefined)
    .map(({ schema, example }) => ({ name, schema, example }))
})

test.each(EXAMPLES)('an example of $name is valid', ({ schema, example }) => {
  expect(schema instanceof z.ZodType ? schema.safeParse(example).error : undefined).toBeUndefined()
})

test('no two endpoints share a method and a path', () => {
  const keys = ROWS.map(([, { method, path }]) => `${method} ${path}`)
  expect(new Set(keys).size).toBe(keys.length)
})

/** Repeated, these create nothing, or nothing more: they read, decide, change or replace. */
const WITHOUT_KEY: ReadonlySet<string> = new Set([
  'signIn',
  'probeProvider',
  'retryJob',
  'exportSession',
  'cancelTurn',
  'resumeSession',
  'reconnectSession',
  'reconnectMobileSession',
  'endSession',
  'compactSession',
  'trimSession',
  'decideApproval',
  'publishNamespaces',
  'unpublishNamespaces',
  'previewPublish',
  'askReflection',
  'leaveReflection',
  'syncAgents',
  'auditAgents',
  'testAgents',
  'previewVariables',
  'approvePatch',
  'rejectPatch',
  'revertPatch',
  ...AgentAction.options.filter(isReadOnlyAction).map(toActionEndpointName),
  'receiveElevenLabsWebhook',
])

const takesIdempotencyKey = ({ idempotent, request }: Endpoint) =>
  idempotent ?? 'idempotency-key' in (request?.headers?.shape ?? {})

test('every POST that creates something takes an Idempotency-Key, and nothing else does', () => {
  const posts = ROWS.filter(([, { method }]) => method === 'post')
  expect(new Set(posts.filter(([, row]) => !takesIdempotencyKey(row)).map(([name]) => name))).toEqual(
    WITHOUT_KEY,
  )
  expect(ROWS.filter(([, row]) => takesIdempotencyKey(row) && row.method !== 'post')).toEqual([])
})
