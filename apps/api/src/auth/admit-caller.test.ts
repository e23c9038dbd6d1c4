import {
  type Endpoint,
  type EndpointName,
  ENDPOINTS,
  type MemberRole,
  PlatformError,
  type Role,
} from '@parley/contracts'
import type { KnowledgeReader, MemberReach, ReflectionStore } from '@parley/knowledge'
import { type Context, Hono } from 'hono'
import { expect, test } from 'vitest'
import type { ApiEnv } from '../api-env.ts'
import { createAddressReader } from '../request-origin.ts'
import { admitCaller, admitCallerAgain, getLeastRole, getMember, isCheckedAgain } from './admit-caller.ts'
import type { Caller, Entrant } from './authenticate.ts'

const AT = '/v1/reflections/rfl_1'
const reach: MemberReach = { chosen: ['diary'], namespaces: ['diary'], capability: new Uint8Array() }
const entrant = { personId: 'per_ada', role: 'viewer', label: '', tokenHash: Buffer.alloc(0) } as Entrant

interface Given {
  readonly onServer?: Role
  readonly role?: MemberRole
  readonly reach?: MemberReach
  readonly isRemoved?: true
  /** The holder of the token after the body was read. */
  readonly afterwards?: Caller | undefined
  readonly contentType?: string
}

/** Requests a route; resolves to the context of its handler, or to the error code. */
async function ask(method: string, path: string, given: Given): Promise<unknown> {
  const { onServer = 'viewer', role, contentType = 'application/json' } = given
  const caller = { ...entrant, role: onServer }
  const reflections = {
    find: async () => (given.isRemoved ? undefined : { namespaces: [{ name: 'essays' }, { name: 'diary' }] }),
    isAdminOfAny: async () => true,
    findMember: async () => role && { role, ...(given.reach && { reach: given.reach }) },
  } as unknown as ReflectionStore
  let checks = 0
  const findCaller = async () => {
    checks += 1
    return checks > 1 && 'afterwards' in given ? given.afterwards : caller
  }
  const app = createApp({ reflections, findCaller })
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
  const bodyHeaders = { 'content-type': contentType, 'content-length': '2' }
  const headers = { authorization: 'Bearer made-up-token', ...(hasBody && bodyHeaders) }
  const response = await app.request(path, { method, headers, ...(hasBody && { body: '{}' }) })
  return method === 'HEAD' ? response.status : response.json()
}

function createApp(services: Parameters<typeof admitCaller>[0]) {
  const app = new Hono<ApiEnv>()
  app.use(admitCaller(services, createAddressReader([])), admitCallerAgain(services))
  return app
}

const everything = (role: MemberRole) => ({ role, sees: ['essays', 'diary'], reaches: null })

test.each<[string, string, string, Given, unknown]>([
  ['a viewer reads', 'GET', AT, { role: 'viewer' }, everything('viewer')],
  ['the server’s owner is an owner everywhere', 'DELETE', AT, { onServer: 'owner' }, everything('owner')],
  ['the server’s admin is no member', 'GET', AT, { onServer: 'admin' }, 'reflection_not_found'],
  ['a viewer does not remove it', 'DELETE', AT, { role: 'viewer' }, 'forbidden'],
  ['an operator does not remove it', 'DELETE', AT, { role: 'operator' }, 'forbidden'],
  ['an admin removes it', 'DELETE', AT, { role: 'admin' }, everything('admin')],
  ['an admin reads no audit', 'GET', `${AT}/audit`, { role: 'admin' }, 'forbidden'],
  ['for a non-member the reflection does not exist', 'GET', AT, {}, 'reflection_not_found'],
  [
    'a removed reflection does not exist',
    'GET',
    AT,
    { role: 'owner', isRemoved: true },
    'reflection_not_found',
  ],
  ['an invalid id is refused', 'GET', '/v1/reflections/made-up', { role: 'owner' }, 'validation'],
  ['other routes need no reflection', 'GET', '/v1/me', {}, { role: null, sees: null, reaches: null }],
  [
    'a member with limited reach sees the reached namespaces',
    'GET',
    AT,
    { role: 'viewer', reach },
    { role: 'viewer', sees: ['diary'], reaches: ['diary'] },
  ],
])('[A1] %s', async (_, method, path, given, expected) => {
  expect(await ask(method, path, given)).toEqual(expected)
})

test('[A1] HEAD has the access of GET', async () => {
  expect(await ask('HEAD', `${AT}/audit`, { role: 'owner' })).toBe(200)
  expect(await ask('HEAD', `${AT}/audit`, { role: 'admin' })).toBe(403)
})

test.each<[string, string, string, Given, unknown]>([
  ['unchanged', 'PATCH', AT, { role: 'admin' }, everything('admin')],
  ['revoked', 'PATCH', AT, { role: 'admin', afterwards: undefined }, 'unauthenticated'],
  [
    'in another role',
    'PATCH',
    AT,
    { role: 'admin', afterwards: { ...entrant, role: 'guest' } },
    'unauthenticated',
  ],
  [
    'revoked, for a question',
    'POST',
    `${AT}/ask`,
    { role: 'viewer', afterwards: undefined },
    everything('viewer'),
  ],
  ['revoked, for a GET', 'GET', AT, { role: 'viewer', afterwards: undefined }, everything('viewer')],
  ['revoked, for a new token', 'POST', '/v1/tokens', { afterwards: undefined }, 'unauthenticated'],
  [
    'revoked, for a message',
    'POST',
    '/v1/sessions/ses_1/messages',
    { afterwards: undefined },
    { role: null, sees: null, reaches: null },
  ],
  [
    'revoked, for a source, which is checked after it was read',
    'POST',
    `${AT}/sources`,
    { role: 'operator', afterwards: undefined },
    everything('operator'),
  ],
])('[A2] the token is checked again after the body: %s', async (_, method, path, given, expected) => {
  expect(await ask(method, path, given)).toEqual(expected)
})

test('[A1] a member who is removed while their body is read is refused', async () => {
  let reads = 0
  const reflections = {
    find: async () => ({ namespaces: [] }),
    findMember: async () => {
      reads += 1
      return reads === 1 ? { role: 'admin' } : undefined
    },
  } as unknown as ReflectionStore
  const app = createApp({ reflections, findCaller: async () => entrant })
  app.all('*', (c) => c.json('let in'))
  app.onError((failure, c) => c.json(failure instanceof PlatformError ? failure.code : String(failure)))
  const headers = {
    authorization: 'Bearer made-up-token',
    'content-type': 'application/json',
    'content-length': '2',
  }
  const response = await app.request(AT, { method: 'PATCH', headers, body: '{}' })
  expect(await response.json()).toBe('reflection_not_found')
})

test('[A2] a caller with a token is checked again after every body, except at these endpoints', () => {
  const rows = Object.entries<Endpoint>(ENDPOINTS)
  const checkedOnce = rows.filter(
    ([, row]) => row.request?.body && getLeastRole(row.access) && !isCheckedAgain(row),
  )
  const names = checkedOnce.map(([name]) => name)
  const enterSessionLater = names.filter((name) => ENDPOINTS[name as EndpointName].tag === 'sessions')
  expect(enterSessionLater).toHaveLength(10)
  const others = names.filter((name) => !enterSessionLater.includes(name))
  // A handler that reads a file checks the caller itself.
  expect(new Set(others)).toEqual(new Set(['setMySettings', 'askReflection', 'addSource', 'replaceSource']))
})

const callerWith = (held: MemberReach | undefined) =>
  ({ get: (name: string) => (name === 'reach' ? held : entrant) }) as unknown as Context<ApiEnv>

test('[K1] a member with limited reach reads through their own capability, others read everything', () => {
  const limited = {} as KnowledgeReader
  const all = { openMemberReader: () => limited } as unknown as ReflectionStore
  expect(getMember(callerWith(undefined), all).knowledge).toBe(all)
  expect(getMember(callerWith(reach), all).knowledge).toBe(limited)
})
