import { PlatformError } from '@parley/contracts'
import { type Context, Hono } from 'hono'
import { expect, test } from 'vitest'
import { createAddressReader } from './request-origin.ts'
import type { ApiEnv } from './api-env.ts'
import { findEndpoint } from './auth/admit-caller.ts'
import { limitGuesses, limitRequests } from './limit-requests.ts'

/** Answers with the error code, if any; the body is read after the limits. */
function bounded(path: string, method = 'GET') {
  const endpoint = findEndpoint(method, path)
  let read = 0
  const app = new Hono<ApiEnv>()
  app.use(async (c, next) => {
    c.set('endpoint', typeof endpoint === 'string' ? undefined : endpoint)
    return next()
  })
  app.use(limitRequests(createAddressReader(['parley.example'])))
  app.all('*', async (c) => {
    read += (await c.req.text()).length
    return c.text('ok')
  })
  app.onError((failure, c) => c.text(failure instanceof PlatformError ? failure.code : 'internal'))
  const ask = async (address: string, init: RequestInit = {}) =>
    (await app.request(path, { method, ...init, headers: { 'x-forwarded-for': address } })).text()
  return { ask, read: () => read }
}

const times = async (count: number, ask: () => Promise<string>) => {
  const answers: string[] = []
  for (let time = 0; time < count; time += 1) answers.push(await ask())
  return answers
}

test.each(['/v1/openapi.json', '/readyz', '/healthz', '/metrics', '/sessions'])(
  '[A4] requests for %s are limited for each address',
  async (path) => {
    const { ask } = bounded(path)
    const answers = await times(6_000, () => ask('192.0.2.1'))
    expect(answers.slice(0, 100)).not.toContain('rate_limited')
    expect(answers).toContain('rate_limited')
    expect(await ask('192.0.2.2')).toBe('ok')
  },
)

test.each([
  ['a proxy is before us', ['parley.example'], ['192.0.2.9', '192.0.2.9']],
  ['we have our own names alone', ['127.0.0.1', 'localhost'], ['127.0.0.1', '127.0.0.1']],
  ['nothing is configured', [], ['127.0.0.1', '127.0.0.1']],
])('[A4] the caller’s address cannot be forged if %s', (_, hosts, expected) => {
  const told = (forwarded: string) =>
    createAddressReader(hosts)({
      req: { header: () => forwarded },
      env: { address: '127.0.0.1' },
    } as unknown as Context<ApiEnv>)
  expect([told('192.0.2.9'), told('198.51.100.7, 192.0.2.9')]).toEqual(expected)
})

test('[A4] the body of a refused webhook is not read', async () => {
  const { ask, read } = bounded('/v1/webhooks/elevenlabs', 'POST')
  const answers = await times(1_500, () => ask('192.0.2.1', { body: 'x' }))
  expect(answers).toContain('rate_limited')
  expect(read()).toBe(answers.filter((answer) => answer === 'ok').length)
})

test.each(['token', 'tool secret'] as const)('[A4] guesses of a %s are limited', (kind) => {
  const refuse = limitGuesses(kind, createAddressReader(['parley.example']))
  const codeOf = (code: 'unauthenticated' | 'forbidden') => {
    const c = { req: { header: () => '192.0.2.1' } } as unknown as Context<ApiEnv>
    try {
      return refuse(new PlatformError(code), c)
    } catch (failure) {
      return failure instanceof PlatformError ? failure.code : 'internal'
    }
  }
  const codes = Array.from({ length: 3_000 }, () => codeOf('unauthenticated'))
  expect([codes[0], codes.at(-1)]).toEqual(['unauthenticated', 'rate_limited'])
  expect(codeOf('forbidden')).toBe('forbidden')
})
