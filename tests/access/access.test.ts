import { MemberRole, type Role } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../apps/api/src/app.ts'
import { ACCESS, type Access } from '../../apps/api/src/auth/access.ts'
import { isAtLeast } from '../../apps/api/src/auth/is-at-least.ts'
import { REFLECTION_ACCESS } from '../../apps/api/src/auth/reflection-access.ts'
import { visitorApi } from '../../apps/api/src/voice/visitor-api.fixture.ts'

/** Who calls: what they are on the server, and on the reflection. */
interface Caller {
  readonly name: string
  /** Nobody has none, or one that is not ours. */
  readonly role?: Role
  /** Undefined for who is no member. */
  readonly memberRole?: MemberRole
  /** On another reflection. */
  readonly roleElsewhere?: MemberRole
  /** Whether the session is theirs. */
  readonly isVisitor?: true
}

const CALLERS: readonly Caller[] = [
  { name: 'nobody' },
  { name: 'somebody with a made-up token' },
  { name: 'the owner of the server', role: 'owner', memberRole: 'owner' },
  { name: 'an admin who is no member', role: 'admin' },
  { name: 'an operator who is no member', role: 'operator' },
  { name: 'a viewer who is no member', role: 'viewer' },
  { name: 'a guest of the server', role: 'guest' },
  { name: 'an admin of it', role: 'admin', memberRole: 'admin' },
  { name: 'an operator of it', role: 'operator', memberRole: 'operator' },
  { name: 'a viewer of it', role: 'viewer', memberRole: 'viewer' },
  { name: 'a viewer of the server who owns it', role: 'viewer', memberRole: 'owner' },
  { name: 'a viewer of the server who is an operator of it', role: 'viewer', memberRole: 'operator' },
  { name: 'an admin of another reflection', role: 'admin', roleElsewhere: 'admin' },
  { name: 'a viewer of the server who is an admin of another', role: 'viewer', roleElsewhere: 'admin' },
  { name: 'a viewer of another reflection', role: 'viewer', roleElsewhere: 'viewer' },
  { name: 'a visitor', role: 'guest', isVisitor: true },
]

type Outcome =
  /** Let in: whatever the route then says, it is not about who they are. */
  | 'in'
  | 'unauthenticated'
  | 'forbidden'
  /** As if what they ask for did not exist. */
  | 'reflection_not_found'
  | 'session_not_found'

/** What the tables say. */
function expectedOf(route: string, access: Access, caller: Caller): Outcome {
  const { role, memberRole, isVisitor } = caller
  if (access === 'anyone') return 'in'
  // The provider's routes ask for its secret or its signature, which no person has.
  if (access === 'provider' || role === undefined) return 'unauthenticated'
  if (access === 'any-admin') return runsAny(caller) ? 'in' : 'forbidden'
  if (!isAtLeast(role, access)) return 'forbidden'
  const least = REFLECTION_ACCESS[route]
  if (least !== undefined) {
    if (!memberRole) return 'reflection_not_found'
    return isAtLeast(memberRole, least) ? 'in' : 'forbidden'
  }
  if (!route.includes('{sessionId}') || isVisitor) return 'in'
  // It is a visitor's: the reflection's admins read and end it, and nobody else speaks in it.
  const mayEnter = memberRole !== undefined && isAtLeast(memberRole, 'admin') && !SPOKEN_IN.test(route)
  return mayEnter ? 'in' : 'session_not_found'
}

/** The server, or a reflection. */
const runsAny = ({ role, memberRole, roleElsewhere }: Caller) =>
  [role, memberRole, roleElsewhere].some((one) => one !== undefined && isAtLeast(one, 'admin'))

const SPOKEN_IN =
  /^PATCH|^POST .*\/(messages|cancel|resume|reconnect|fork|compact|trim|approvals\/\{callId\})$/

/** Routes that end what they are for: who is let in there has one to spare. */
const ENDS: readonly string[] = [
  'DELETE /v1/sessions/{sessionId}',
  'POST /v1/sessions/{sessionId}/end',
  'DELETE /v1/reflections/{reflectionId}',
]

let api: Awaited<ReturnType<typeof visitorApi>>
let shareToken: string
let visit: { readonly sessionId: string; readonly token: string }
const tokens = new Map<string, string>()

beforeAll(async () => {
  api = await visitorApi()
  shareToken = (await api.share()).token
  visit = api.visited(await api.visit(shareToken))
  const other = await api.reflection('Grace Example')
  for (const { name, role, memberRole, roleElsewhere, isVisitor } of CALLERS) {
    if (role === undefined || isVisitor || role === 'owner') continue
    const token = await tokenFor(role)
    if (memberRole) await join(token, api.reflectionId, memberRole)
    if (roleElsewhere) await join(token, other.id, roleElsewhere)
    tokens.set(name, token)
  }
  tokens.set('somebody with a made-up token', 'made-up-and-unknown')
  tokens.set('a visitor', visit.token)
})
afterAll(() => api[Symbol.asyncDispose]())

async function tokenFor(role: Role): Promise<string> {
  const { answer } = await api.call('POST', '/tokens', { label: `a ${role}`, role })
  return (answer as { readonly token: string }).token
}

async function join(token: string, reflectionId: string, role: MemberRole): Promise<void> {
  const { answer } = await api.call('GET', '/me', undefined, token)
  const { personId } = answer as { readonly personId: string }
  const { status } = await api.call('PUT', `/reflections/${reflectionId}/members`, { personId, role })
  expect(status).toBe(200)
}

/** Whose session it is, is asked once the body is known to be good; no other route is to do anything here. */
const BODIES: Readonly<Record<string, string>> = {
  'PATCH /v1/sessions/{sessionId}': '{"title":"A title"}',
  'POST /v1/sessions/{sessionId}/messages': '{"text":"Good day."}',
  'POST /v1/sessions/{sessionId}/resume': '{}',
  'POST /v1/sessions/{sessionId}/reconnect': '{}',
  'POST /v1/mobile/sessions/{sessionId}/reconnect': '{}',
  'POST /v1/sessions/{sessionId}/fork': '{}',
  'POST /v1/sessions/{sessionId}/trim': '{"keep":10}',
  'POST /v1/sessions/{sessionId}/approvals/{callId}': '{"decision":"refuse"}',
}
const NO_ROUTES_OWN = '{"made-up":true}'

/** Asks as a caller does; what comes of it is read only as far as it says who may. */
async function outcomeOf(route: string, { name, role }: Caller): Promise<Outcome> {
  const [method = '', path = ''] = route.split(' ')
  const address = `${api.url}${filled(path, await targetOf(route, name))}`
  const token = role === 'owner' ? 'made-up-token-of-the-owner' : tokens.get(name)
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const abort = new AbortController()
  const response = await fetch(address, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    ...(hasBody && { body: BODIES[route] ?? NO_ROUTES_OWN }),
    signal: abort.signal,
  })
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true
  const code: unknown = isProblem ? ((await response.json()) as { readonly code: unknown }).code : undefined
  abort.abort()
  expect(response.status, `${route} by ${name} went wrong`).not.toBe(500)
  return code === 'unauthenticated' ||
    code === 'forbidden' ||
    code === 'reflection_not_found' ||
    code === 'session_not_found'
    ? code
    : 'in'
}

interface Target {
  readonly sessionId: string
  readonly reflectionId: string
}

/** The same for all, since nothing becomes of it; but not where it would be gone. */
async function targetOf(route: string, name: string): Promise<Target> {
  const shared = { sessionId: visit.sessionId, reflectionId: api.reflectionId }
  const caller = CALLERS.find((one) => one.name === name)
  if (!caller || !ENDS.includes(route) || expectedOf(route, ACCESS[route] ?? 'owner', caller) !== 'in')
    return shared
  if (route.includes('{reflectionId}')) return { ...shared, reflectionId: await spareReflection(caller) }
  const spare = api.visited(await api.visit(shareToken))
  if (caller.isVisitor) tokens.set(name, spare.token)
  return { ...shared, sessionId: spare.sessionId }
}

async function spareReflection({ name, memberRole }: Caller): Promise<string> {
  const { id } = await api.reflection('To spare')
  const token = tokens.get(name)
  if (token === undefined || memberRole === undefined) return id
  await join(token, id, memberRole)
  return id
}

const filled = (path: string, { sessionId, reflectionId }: Target) =>
  path
    .replace('{sessionId}', sessionId)
    .replace('{reflectionId}', reflectionId)
    .replace('{token}', 'shr_made-up')
    .replace('{hash}', `sha256-${'0'.repeat(64)}`)
    .replace('{callId}', 'call_1')
    .replace('{personId}', 'per_madeup')
    .replace('{sourceId}', 'src_madeup')
    .replace('{factId}', 'fct_madeup')
    .replace('{patchId}', 'pat_madeup')
    .replace('{linkId}', 'lnk_madeup')
    .replace('{tokenId}', 'tok_madeup')
    .replace('{generation}', '9999')
    .replace('{jobId}', '00000000-0000-4000-8000-000000000000')

describe('[A1] who may do what, by the tables', () => {
  test.each(Object.entries(ACCESS))('%s (%s)', async (route, access) => {
    expect(filled(route, { sessionId: '', reflectionId: '' }), 'a path that cannot be walked').not.toContain(
      '{',
    )
    const found: Record<string, Outcome> = {}
    // The visitor last, whose session some routes end.
    for (const caller of CALLERS) found[caller.name] = await outcomeOf(route, caller)
    tokens.set('a visitor', visit.token)
    expect(found).toEqual(
      Object.fromEntries(CALLERS.map((caller) => [caller.name, expectedOf(route, access, caller)])),
    )
  })

  test('nothing was done by who may not', async () => {
    expect((await api.call('GET', `/sessions/${visit.sessionId}`, undefined, visit.token)).status).toBe(200)
    expect((await api.call('GET', api.at)).status).toBe(200)
  })
})

test('[A1] every route that is served is in a table, and every row of them is served', async () => {
  const { services, close } = await api.services()
  const served = createApp(services)
    .routes.filter(({ path, method }) => method !== 'ALL' && !path.includes('*'))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`)
  await close()
  expect([...new Set(served)].toSorted()).toEqual(Object.keys(ACCESS).toSorted())
})

test('[A1] every route of openapi is in the table, and every route of one reflection in its own', async () => {
  const { answer } = await api.send('GET', '/openapi.json')
  const { paths } = answer as { readonly paths: Readonly<Record<string, object>> }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(Object.keys(ACCESS)).toEqual(expect.arrayContaining(described))
  const ofReflections = Object.keys(ACCESS).filter((route) => route.includes('/v1/reflections/{'))
  expect(ofReflections.toSorted()).toEqual(Object.keys(REFLECTION_ACCESS).toSorted())
})
