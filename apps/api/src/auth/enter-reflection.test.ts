import { type MemberRole, PlatformError, type Role } from '@parley/contracts'
import type { MemberReach, ReflectionStore } from '@parley/knowledge'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { ApiEnv } from '../api.ts'
import { accessOf } from './access.ts'
import type { Caller, Entrant } from './authenticate.ts'
import { enterReflection, enterWithBody } from './enter-reflection.ts'

const AT = '/v1/reflections/rfl_1'
const reach: MemberReach = { chosen: ['diary'], namespaces: ['diary'], capability: new Uint8Array() }
const entrant = { personId: 'per_ada', role: 'viewer', label: '', tokenHash: Buffer.alloc(0) } as Entrant

interface Given {
  readonly onServer?: Role
  readonly role?: MemberRole
  readonly reach?: MemberReach
  readonly isRemoved?: true
  /** Who holds the token once the body has been read. */
  readonly afterwards?: Caller | undefined
  readonly contentType?: string
}

/** Asks for a route of a reflection; resolves to what the handler finds, or to the refusal's code. */
async function ask(method: string, path: string, given: Given): Promise<unknown> {
  const { onServer = 'viewer', role, contentType = 'application/json' } = given
  const caller = { ...entrant, role: onServer }
  const reflections = {
    find: async () => (given.isRemoved ? undefined : { namespaces: [{ name: 'essays' }, { name: 'diary' }] }),
    memberOf: async () => role && { role, ...(given.reach && { reach: given.reach }) },
  } as unknown as ReflectionStore
  const findCaller = async () => ('afterwards' in given ? given.afterwards : caller)
  const app = new Hono<ApiEnv>()
  app.use(async (c, next) => {
    const found = accessOf(c.req.method, c.req.path)
    c.set('route', typeof found === 'string' ? '/v1/nowhere' : found.route)
    c.set('caller', caller)
    return next()
  })
  app.use(enterReflection(reflections))
  app.use(enterWithBody({ reflections, findCaller }))
  app.all('*', (c) => {
    const reflection = c.get('reflection') as ApiEnv['Variables']['reflection'] | undefined
    return c.json({
      role: c.get('memberRole') ?? null,
      sees: reflection?.namespaces.map(({ name }) => name) ?? null,
      reaches: c.get('reach')?.chosen ?? null,
    })
  })
  app.onError((failure, c) => c.json(failure instanceof PlatformError ? failure.code : String(failure), 403))
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const headers = { 'content-type': contentType, 'content-length': '2' }
  const response = await app.request(path, { method, ...(hasBody && { headers, body: '{}' }) })
  return method === 'HEAD' ? response.status : response.json()
}

const everything = (role: MemberRole) => ({ role, sees: ['essays', 'diary'], reaches: null })

test.each<[string, string, string, Given, unknown]>([
  ['a viewer reads', 'GET', AT, { role: 'viewer' }, everything('viewer')],
  ['the server’s owner is an owner everywhere', 'DELETE', AT, { onServer: 'owner' }, everything('owner')],
  ['the server’s admin is nobody here', 'GET', AT, { onServer: 'admin' }, 'reflection_not_found'],
  ['a viewer does not remove it', 'DELETE', AT, { role: 'viewer' }, 'forbidden'],
  ['an operator does not remove it', 'DELETE', AT, { role: 'operator' }, 'forbidden'],
  ['an admin removes it', 'DELETE', AT, { role: 'admin' }, everything('admin')],
  ['an admin reads no audit', 'GET', `${AT}/audit`, { role: 'admin' }, 'forbidden'],
  ['who is no member finds nothing', 'GET', AT, {}, 'reflection_not_found'],
  [
    'what was removed is found by nobody',
    'GET',
    AT,
    { role: 'owner', isRemoved: true },
    'reflection_not_found',
  ],
  ['an id that is none is refused', 'GET', '/v1/reflections/made-up', { role: 'owner' }, 'validation'],
  ['other routes ask for no reflection', 'GET', '/v1/me', {}, { role: null, sees: null, reaches: null }],
  [
    'who reaches a part sees that part',
    'GET',
    AT,
    { role: 'viewer', reach },
    { role: 'viewer', sees: ['diary'], reaches: ['diary'] },
  ],
])('[A1] %s', async (_, method, path, given, expected) => {
  expect(await ask(method, path, given)).toEqual(expected)
})

test('[A1] HEAD is let in and refused as GET is', async () => {
  expect(await ask('HEAD', `${AT}/audit`, { role: 'owner' })).toBe(200)
  expect(await ask('HEAD', `${AT}/audit`, { role: 'admin' })).toBe(403)
})

test.each<[string, string, string, Given, unknown]>([
  ['still the same', 'PATCH', AT, { role: 'admin' }, everything('admin')],
  ['revoked', 'PATCH', AT, { role: 'admin', afterwards: undefined }, 'unauthenticated'],
  [
    'in another role',
    'PATCH',
    AT,
    { role: 'admin', afterwards: { ...entrant, role: 'guest' } },
    'unauthenticated',
  ],
  [
    'revoked, and only asks',
    'POST',
    `${AT}/ask`,
    { role: 'viewer', afterwards: undefined },
    everything('viewer'),
  ],
  ['revoked, and only reads', 'GET', AT, { role: 'viewer', afterwards: undefined }, everything('viewer')],
  ['revoked, and makes a token', 'POST', '/v1/tokens', { afterwards: undefined }, 'unauthenticated'],
  [
    'revoked, and speaks in a session',
    'POST',
    '/v1/sessions/ses_1/messages',
    { afterwards: undefined },
    { role: null, sees: null, reaches: null },
  ],
  [
    'revoked, and sends a source, which is asked for once it is read',
    'POST',
    `${AT}/sources`,
    { role: 'operator', afterwards: undefined },
    everything('operator'),
  ],
])('[A2] who sends a body is asked for again: %s', async (_, method, path, given, expected) => {
  expect(await ask(method, path, given)).toEqual(expected)
})

test('[A1] who is let out of a reflection while their body is read is refused', async () => {
  let asked = 0
  const reflections = {
    find: async () => ({ namespaces: [] }),
    memberOf: async () => {
      asked += 1
      return asked === 1 ? { role: 'admin' } : undefined
    },
  } as unknown as ReflectionStore
  const app = new Hono<ApiEnv>()
  app.use(async (c, next) => {
    c.set('route', '/v1/reflections/{reflectionId}')
    c.set('caller', entrant)
    return next()
  })
  app.use(enterReflection(reflections), enterWithBody({ reflections, findCaller: async () => entrant }))
  app.all('*', (c) => c.json('let in'))
  app.onError((failure, c) => c.json(failure instanceof PlatformError ? failure.code : String(failure)))
  const headers = { 'content-type': 'application/json', 'content-length': '2' }
  const response = await app.request(AT, { method: 'PATCH', headers, body: '{}' })
  expect(await response.json()).toBe('reflection_not_found')
})
