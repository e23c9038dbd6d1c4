import type { MemberRole, Role } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../apps/api/src/app.ts'
import { visitorApi } from '../../apps/api/src/reflections/visitor-api.fixture.ts'
import { type Caller, CALLERS, type Cell, WHO_MAY_DO_WHAT } from './who-may-do-what.ts'

/** Routes that end or delete their target: each caller with access gets its own target. */
const ENDING_ROUTES: readonly string[] = [
  'DELETE /v1/sessions/{sessionId}',
  'POST /v1/sessions/{sessionId}/end',
  'DELETE /v1/reflections/{reflectionId}',
]

const VISITOR = 'visitor'

let api: Awaited<ReturnType<typeof visitorApi>>
let shareToken: string
let visit: { readonly sessionId: string; readonly token: string }
const tokens = new Map<string, string>()

beforeAll(async () => {
  api = await visitorApi()
  shareToken = (await api.share()).token
  visit = api.visited(await api.visit(shareToken))
  const other = await api.reflection('Grace Example')
  for (const { name, role, memberRole, roleElsewhere } of CALLERS) {
    if (role === undefined || name === VISITOR || role === 'owner') continue
    const token = await createToken(role)
    if (memberRole) await addMember(token, api.reflectionId, memberRole)
    if (roleElsewhere) await addMember(token, other.id, roleElsewhere)
    tokens.set(name, token)
  }
  tokens.set('made-up', 'made-up-and-unknown')
  tokens.set(VISITOR, visit.token)
})
afterAll(() => api[Symbol.asyncDispose]())

async function createToken(role: Role): Promise<string> {
  const { answer } = await api.call('POST', '/tokens', { label: `a ${role}`, role })
  return (answer as { readonly token: string }).token
}

async function addMember(token: string, reflectionId: string, role: MemberRole): Promise<void> {
  const { answer } = await api.call('GET', '/me', undefined, token)
  const { personId } = answer as { readonly personId: string }
  const { status } = await api.call('PUT', `/reflections/${reflectionId}/members`, { personId, role })
  expect(status).toBe(200)
}

/** These routes check the access after the body. All other routes get an invalid body, so they change nothing. */
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
const INVALID_BODY = '{"made-up":true}'

/** Sends the request of a caller. Returns only whether access was allowed. */
async function requestAccess(route: string, caller: Caller): Promise<Cell> {
  const { name, role } = caller
  const [method = '', path = ''] = route.split(' ')
  const address = `${api.url}${fillPath(path, await chooseTarget(route, caller))}`
  const token = role === 'owner' ? 'made-up-token-of-the-owner' : tokens.get(name)
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const abort = new AbortController()
  const response = await fetch(address, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    ...(hasBody && { body: BODIES[route] ?? INVALID_BODY }),
    signal: abort.signal,
  })
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') === true
  const code = isProblem ? ((await response.json()) as { readonly code: string }).code : 'none'
  abort.abort()
  expect(response.status, `${route} by ${name} failed`).not.toBe(500)
  return REFUSED[code] ?? 'in'
}

const REFUSED: Readonly<Record<string, Cell | undefined>> = {
  unauthenticated: '401',
  // The test sends many wrong tool secrets in a row.
  rate_limited: '401',
  forbidden: '403',
  reflection_not_found: '404',
  session_not_found: '404',
}

interface RouteTarget {
  readonly sessionId: string
  readonly reflectionId: string
}

/** All callers share one target, except on routes that end it. */
async function chooseTarget(route: string, caller: Caller): Promise<RouteTarget> {
  const shared = { sessionId: visit.sessionId, reflectionId: api.reflectionId }
  if (!ENDING_ROUTES.includes(route) || WHO_MAY_DO_WHAT.get(route)?.get(caller) !== 'in') return shared
  if (route.includes('{reflectionId}'))
    return { ...shared, reflectionId: await createSpareReflection(caller) }
  const spare = api.visited(await api.visit(shareToken))
  if (caller.name === VISITOR) tokens.set(VISITOR, spare.token)
  return { ...shared, sessionId: spare.sessionId }
}

async function createSpareReflection({ name, memberRole }: Caller): Promise<string> {
  const { id } = await api.reflection('Spare')
  const token = tokens.get(name)
  if (token === undefined || memberRole === undefined) return id
  await addMember(token, id, memberRole)
  return id
}

const fillPath = (path: string, { sessionId, reflectionId }: RouteTarget) =>
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

describe('[A1] who may do what', () => {
  test.each([...WHO_MAY_DO_WHAT])('%s', async (route, cells) => {
    expect(
      fillPath(route, { sessionId: '', reflectionId: '' }),
      'a path with an unknown parameter',
    ).not.toContain('{')
    const found: Record<string, Cell> = {}
    // The visitor comes last, because some routes end their session.
    for (const caller of CALLERS) found[caller.name] = await requestAccess(route, caller)
    tokens.set(VISITOR, visit.token)
    expect(found).toEqual(Object.fromEntries(CALLERS.map((caller) => [caller.name, cells.get(caller)])))
  })

  test('callers without access changed nothing', async () => {
    expect((await api.call('GET', `/sessions/${visit.sessionId}`, undefined, visit.token)).status).toBe(200)
    expect((await api.call('GET', api.at)).status).toBe(200)
  })
})

test('[A1] the table lists exactly the served routes', async () => {
  const { services, close } = await api.services()
  const served = createApp(services)
    .routes.filter(({ path, method }) => method !== 'ALL' && !path.includes('*'))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`)
  await close()
  expect([...new Set(served)].toSorted()).toEqual([...WHO_MAY_DO_WHAT.keys()].toSorted())
})

test('[A1] every route in the OpenAPI document is in the table', async () => {
  const { answer } = await api.send('GET', '/openapi.json')
  const { paths } = answer as { readonly paths: Readonly<Record<string, object>> }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect([...WHO_MAY_DO_WHAT.keys()]).toEqual(expect.arrayContaining(described))
})
