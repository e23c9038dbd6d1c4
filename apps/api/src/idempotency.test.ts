import { randomUUID } from 'node:crypto'
import { ENDPOINTS, Problem } from '@parley/contracts'
import { findTablesContaining } from '@parley/postgres/testing'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runSql } from '../../../adapters/postgres/src/server/testing/test-cluster.ts'
import { TOOL_SECRET, claimOf } from './reflections/spoken-api.fixture.ts'
import { visitorApi } from './reflections/visitor-api.fixture.ts'
import { startApi } from './start-api.ts'

const OWNER = 'made-up-token-of-the-owner'

let api: Awaited<ReturnType<typeof visitorApi>>
let linkToken: string
let sessionId: string
let viewer: Awaited<ReturnType<typeof api.member>>
let invited: string
/** By which the agent of a running call is known. */
let proof: object

beforeAll(async () => {
  api = await visitorApi()
  linkToken = (await api.share()).token
  const start = await post('/sessions', { channel: 'text' })
  sessionId = String(start.answer['sessionId'])
  viewer = await api.member('viewer', api.reflectionId)
  const invitation = await post(`${api.at}/invitations`, { label: 'Grace', role: 'viewer' })
  invited = String(invitation.answer['personId'])
  const { reflectionId } = api
  const operator = await api.member('operator', reflectionId)
  proof = claimOf(
    await api.spoken({
      name: 'running',
      reflectionId,
      personId: operator.personId,
      namespaces: ['essays'],
    }),
  )
})
afterAll(() => api[Symbol.asyncDispose]())

interface Sent {
  readonly key?: string
  readonly headers?: Record<string, string>
  readonly url?: string
}

async function post(path: string, body: object | string, { key, headers, url = api.url }: Sent = {}) {
  const isForm = body instanceof FormData
  const response = await fetch(`${url}/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OWNER}`,
      ...(!isForm && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...headers,
    },
    body: isForm || typeof body === 'string' ? body : JSON.stringify(body),
  })
  const answer = (await response.json()) as Record<string, unknown>
  return {
    status: response.status,
    answer,
    code: Problem.safeParse(answer).data?.code,
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
    cookies: response.headers.getSetCookie(),
    waitSeconds: response.headers.get('retry-after'),
  }
}

const asPerson = ({ token }: { readonly token: string }) => ({
  key: randomUUID(),
  headers: { authorization: `Bearer ${token}` },
})

const isSuccess = (status: number) => status >= 200 && status < 300
const visitPath = () => `/r/${linkToken}/sessions`

const rowsOf = async (tables: string) => {
  const counts = tables.split(' ').map((table) => `(select count(*) from ${table}) as ${table}`)
  return runSql(api.databaseUrl, `select ${counts.join(', ')}`)
}

const form = () => {
  const fields = new FormData()
  fields.append('namespace', 'essays')
  fields.append(
    'file',
    new File(['Ada Example sailed to Oslo in 1970.'], 'sailing.txt', { type: 'text/plain' }),
  )
  return fields
}

interface Creation {
  /** The endpoint, and how it is used. */
  readonly name: string
  readonly tables: string
  readonly path: () => string
  readonly body?: () => object
  readonly headers?: Record<string, string>
}

const TYPED = { channel: 'text' }
const TOOL = { 'x-tool-secret': TOOL_SECRET }
const SHOWN = 'Ada Example built an observatory'

const CREATIONS: readonly Creation[] = [
  { name: 'startSession', tables: 'agent_sessions', path: () => '/sessions', body: () => TYPED },
  {
    name: 'startSession, spoken',
    tables: 'reflection_sessions',
    path: () => '/sessions',
    body: () => ({ channel: 'voice', reflectionId: api.reflectionId }),
  },
  {
    name: 'startMobileSession',
    tables: 'agent_sessions',
    path: () => '/mobile/sessions',
    body: () => TYPED,
  },
  { name: 'forkSession', tables: 'agent_sessions', path: () => `/sessions/${sessionId}/fork` },
  {
    name: 'visitReflection',
    tables: 'reflection_sessions',
    path: () => `/r/${linkToken}/sessions`,
    body: () => TYPED,
  },
  {
    name: 'visitMobileReflection',
    tables: 'reflection_sessions',
    path: () => `/mobile/r/${linkToken}/sessions`,
    body: () => TYPED,
  },
  {
    name: 'createReflection',
    tables: 'reflections audit_log',
    path: () => '/reflections',
    body: () => ({ displayName: 'Once' }),
  },
  {
    name: 'addNamespace',
    tables: 'namespaces',
    path: () => `${api.at}/namespaces`,
    body: () => ({ name: 'once' }),
  },
  {
    name: 'addSource',
    tables: 'intake',
    path: () => `${api.at}/sources`,
    body: () => ({ title: 'Once', namespace: 'essays', text: 'Ada Example swam in the Bosporus in 1960.' }),
  },
  { name: 'addSource, as a form', tables: 'intake', path: () => `${api.at}/sources`, body: form },
  {
    name: 'proposeCorrection',
    tables: 'intake',
    path: () => `${api.at}/corrections`,
    body: () => ({ fact: SHOWN, correction: 'Ada Example built two observatories' }),
  },
  {
    name: 'addMember',
    tables: 'audit_log',
    path: () => `${api.at}/members`,
    body: () => ({ personId: viewer.personId, role: 'operator' }),
  },
  {
    name: 'inviteMember',
    tables: 'people tokens',
    path: () => `${api.at}/invitations`,
    body: () => ({ label: 'Once', role: 'viewer' }),
  },
  { name: 'renewInvitation', tables: 'tokens', path: () => `${api.at}/members/${invited}/link` },
  { name: 'createShareLink', tables: 'share_links', path: () => `${api.at}/share-links` },
  {
    name: 'createToken',
    tables: 'people tokens',
    path: () => '/tokens',
    body: () => ({ label: 'Once', role: 'viewer' }),
  },
  {
    name: 'requestSourceIngest',
    tables: 'intake',
    path: () => '/tools/request-source-ingest',
    body: () => ({ ...proof, text: 'I moved to Bergen in 2001.' }),
    headers: TOOL,
  },
  {
    name: 'proposeFactCorrection',
    tables: 'intake',
    path: () => '/tools/propose-fact-correction',
    body: () => ({ ...proof, fact: SHOWN, correction: 'It was two of them' }),
    headers: TOOL,
  },
]

test('every idempotent endpoint is tested below', () => {
  const marked = Object.entries(ENDPOINTS).filter(([, endpoint]) => 'idempotent' in endpoint)
  const tried = CREATIONS.map(({ name }) => name.split(',', 1)[0])
  expect(new Set(tried)).toEqual(new Set(marked.map(([name]) => name)))
})

describe('a request that is repeated with its Idempotency-Key', () => {
  test.each(CREATIONS)('$name: gets the same response and creates nothing', async (creation) => {
    const { tables, path, body = () => ({}), headers } = creation
    const sent = { key: randomUUID(), ...(headers && { headers }) }
    const before = await rowsOf(tables)
    const first = await post(path(), body(), sent)
    expect(first).toMatchObject({ status: expect.toSatisfy(isSuccess), isReplayed: false })
    const created = await rowsOf(tables)
    expect(created).not.toEqual(before)
    expect(await post(path(), body(), sent)).toEqual({ ...first, isReplayed: true })
    expect(await rowsOf(tables)).toEqual(created)
  })

  test('creates again without a key, and with another key', async () => {
    const sent: readonly Sent[] = [{}, {}, { key: 'a' }, { key: 'b' }]
    const all = await Promise.all(sent.map((one) => post('/reflections', { displayName: 'Often' }, one)))
    expect(new Set(all.map(({ answer }) => answer['id'])).size).toBe(4)
  })

  test('is refused with another body', async () => {
    const sent = { key: randomUUID() }
    expect((await post('/reflections', { displayName: 'One' }, sent)).status).toBe(201)
    const changed = await post('/reflections', { displayName: 'Another' }, sent)
    expect(changed).toMatchObject({ status: 409, code: 'idempotency_conflict' })
  })

  test('is refused with another file', async () => {
    const sent = { key: randomUUID() }
    const changed = form()
    changed.set(
      'file',
      new File(['Ada Example sailed to Oslo in 1971.'], 'sailing.txt', { type: 'text/plain' }),
    )
    expect((await post(`${api.at}/sources`, form(), sent)).status).toBe(202)
    const answered = await post(`${api.at}/sources`, changed, sent)
    expect(answered).toMatchObject({ status: 409, code: 'idempotency_conflict' })
  })

  test('creates one thing if ten arrive at once; the others get its response, or that it is running', async () => {
    const sent = { key: randomUUID() }
    const before = await runSql(api.databaseUrl, 'select from reflections')
    const all = await Promise.all(
      Array.from({ length: 10 }, () => post('/reflections', { displayName: 'Together' }, sent)),
    )
    expect(await runSql(api.databaseUrl, 'select from reflections')).toHaveLength(before.length + 1)
    expect(all.filter(({ status, isReplayed }) => status === 201 && !isReplayed)).toHaveLength(1)
    const others = all.filter(({ status }) => status !== 201)
    expect(
      others.filter(({ code, waitSeconds }) => code !== 'request_in_progress' || waitSeconds !== '1'),
    ).toEqual([])
    expect((await post('/reflections', { displayName: 'Together' }, sent)).isReplayed).toBe(true)
  })

  test('is another request if another person sends it', async () => {
    const sent = { key: randomUUID() }
    const mine = await post('/sessions', { channel: 'text' }, sent)
    const headers = { authorization: `Bearer ${viewer.token}` }
    const theirs = await post('/sessions', { channel: 'text' }, { ...sent, headers })
    expect(theirs).toMatchObject({ status: 201, isReplayed: false })
    expect(theirs.answer['sessionId']).not.toBe(mine.answer['sessionId'])
  })

  test('is refused like any other request if the person lost the right to it', async () => {
    const { personId, token } = await api.member('admin', api.reflectionId)
    const sent = { key: randomUUID(), headers: { authorization: `Bearer ${token}` } }
    expect((await post(`${api.at}/share-links`, {}, sent)).status).toBe(201)
    await api.call('PUT', `${api.at}/members`, { personId, role: 'viewer' })
    expect(await post(`${api.at}/share-links`, {}, sent)).toMatchObject({ status: 403, code: 'forbidden' })
  })

  test('is carried out if the first was refused', async () => {
    const sent = { key: randomUUID() }
    const path = `${api.at}/sources`
    const source = { title: 'Later', namespace: 'later', text: 'Ada Example wrote a novel in 1980.' }
    expect((await post(path, source, sent)).status).toBeGreaterThanOrEqual(400)
    await api.call('POST', `${api.at}/namespaces`, { name: 'later' })
    expect(await post(path, source, sent)).toMatchObject({ status: 202, isReplayed: false })
  })

  test('is refused if the person was removed from the reflection of the session', async () => {
    const { personId, token } = await api.member('viewer', api.reflectionId)
    const sent = { key: randomUUID(), headers: { authorization: `Bearer ${token}` } }
    const body = { ...TYPED, reflectionId: api.reflectionId }
    const first = await post('/sessions', body, sent)
    expect(await post('/sessions', body, sent)).toEqual({ ...first, isReplayed: true })
    await api.call('DELETE', `${api.at}/members/${personId}`)
    expect(await post('/sessions', body, sent)).toMatchObject({ status: 404, code: 'session_not_found' })
  })

  test('is refused if the person is no admin of the token’s reflection any more', async () => {
    const { personId, token } = await api.member('admin', api.reflectionId)
    const other = await api.reflection('Another')
    await api.call('PUT', `/reflections/${other.id}/members`, { personId, role: 'admin' })
    const sent = { key: randomUUID(), headers: { authorization: `Bearer ${token}` } }
    const body = { label: 'Shown once', role: 'operator', reflectionId: other.id }
    const first = await post('/tokens', body, sent)
    expect(await post('/tokens', body, sent)).toEqual({ ...first, isReplayed: true })
    await api.call('PUT', `/reflections/${other.id}/members`, { personId, role: 'viewer' })
    expect(await post('/tokens', body, sent)).toMatchObject({ status: 403, code: 'forbidden' })
  })

  test.each([
    ['with a space', 'two words'],
    ['with another alphabet', 'k\u00e9y'],
    ['that is empty', ''],
    ['that is too long', 'k'.repeat(201)],
  ])('is refused with a key %s', async (_, key) => {
    const answered = await post('/reflections', { displayName: 'No key' }, { key })
    expect(answered).toMatchObject({ status: 400, code: 'validation' })
  })

  test.each([
    ['of the longest length', 'k'.repeat(200)],
    ['of quotes and slashes', `'";--\\/%00`],
    ['with the name of a property', '__proto__'],
  ])('is known by a key %s', async (_, key) => {
    const first = await post('/reflections', { displayName: 'Odd key' }, { key })
    expect(await post('/reflections', { displayName: 'Odd key' }, { key })).toEqual({
      ...first,
      isReplayed: true,
    })
  })

  test('is known by its path, however that is encoded', async () => {
    const key = randomUUID()
    const { id, token } = await api.share()
    const first = await post(`/r/${token}/sessions`, TYPED, { key })
    const encoded = `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`
    expect(await post(`/r/${encoded}/sessions?again=1`, TYPED, { key })).toEqual({
      ...first,
      isReplayed: true,
    })
    expect(await api.uses(id)).toBe(1)
  })

  test('of a streamed message opens one turn, even if five arrive at once', async () => {
    const start = await post('/sessions', TYPED)
    const id = String(start.answer['sessionId'])
    const send = async (text: string) => {
      const response = await fetch(`${api.url}/v1/sessions/${id}/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${OWNER}`,
          accept: 'text/event-stream',
          'content-type': 'application/json',
          'idempotency-key': 'made-up-key',
        },
        body: JSON.stringify({ text }),
      })
      const body = await response.text()
      return { status: response.status, turnId: /"turnId":"(trn_\w+)"/.exec(body)?.[1] }
    }
    const all = await Promise.all(Array.from({ length: 5 }, () => send('Hello')))
    expect(all).toEqual(all.map(() => ({ status: 200, turnId: all[0]?.turnId })))
    expect(await send('Goodbye')).toEqual({ status: 409, turnId: undefined })
    expect(
      await runSql(api.databaseUrl, `select from session_openings where session_id = '${id}'`),
    ).toHaveLength(1)
  })
})

describe('a stored response is not sent again', () => {
  const ENDED = { status: 409, code: 'session_ended' }

  test('once the reflection of the session was removed', async () => {
    const { id } = await api.reflection('Soon removed')
    const member = await api.member('viewer', id)
    const start = [{ ...TYPED, reflectionId: id }, asPerson(member)] as const
    expect((await post('/sessions', ...start)).status).toBe(201)
    await api.call('DELETE', `/reflections/${id}`)
    expect(await post('/sessions', ...start)).toMatchObject({ status: 404, code: 'session_not_found' })
  })

  test('once the session has ended', async () => {
    const sent = { key: randomUUID() }
    const { answer } = await post('/sessions', TYPED, sent)
    await api.call('POST', `/sessions/${String(answer['sessionId'])}/end`)
    expect(await post('/sessions', TYPED, sent)).toMatchObject(ENDED)
  })

  test('once an off-record session is gone from memory', async () => {
    const sent = { key: randomUUID() }
    const body = { ...TYPED, offRecord: true }
    const { answer } = await post('/sessions', body, sent)
    await api.call('POST', `/sessions/${String(answer['sessionId'])}/end`)
    expect(await post('/sessions', body, sent)).toMatchObject({ status: 404, code: 'session_not_found' })
  })

  test.each(['text', 'voice'])(
    '[P6] once content of a visitor’s session is unpublished: %s',
    async (channel) => {
      const { token } = await api.share()
      const sent = { key: randomUUID() }
      expect((await post(`/r/${token}/sessions`, { channel }, sent)).status).toBe(201)
      await api.publish('unpublish', 'talks')
      try {
        expect(await post(`/r/${token}/sessions`, { channel }, sent)).toMatchObject(ENDED)
      } finally {
        await api.publish('publish', 'talks')
      }
    },
  )

  test('once the person reads fewer namespaces than the session uses', async () => {
    const member = await api.member('viewer', api.reflectionId)
    const start = [{ channel: 'voice', reflectionId: api.reflectionId }, asPerson(member)] as const
    expect((await post('/sessions', ...start)).status).toBe(201)
    const { personId } = member
    await api.call('PUT', `${api.at}/members`, { personId, role: 'viewer', namespaces: [] })
    expect(await post('/sessions', ...start)).toMatchObject(ENDED)
  })

  test('once the person ranks below the role that an invitation gives', async () => {
    const owner = await api.member('owner', api.reflectionId)
    const sent = asPerson(owner)
    const path = `${api.at}/invitations`
    const invitation = { label: 'Sleeper', role: 'owner' }
    const first = await post(path, invitation, sent)
    expect(await post(path, invitation, sent)).toEqual({ ...first, isReplayed: true })
    await api.call('PUT', `${api.at}/members`, { personId: owner.personId, role: 'admin' })
    expect(await post(path, invitation, sent)).toMatchObject({ status: 403, code: 'forbidden' })
  })

  test('once the invited person ranks higher than the one who invited them', async () => {
    const sent = asPerson(await api.member('admin', api.reflectionId))
    const path = `${api.at}/invitations`
    const invitation = { label: 'Promoted', role: 'viewer' }
    const { answer } = await post(path, invitation, sent)
    const link = await post(`${api.at}/members/${String(answer['personId'])}/link`, {}, sent)
    expect(link.status).toBe(201)
    await api.call('PUT', `${api.at}/members`, { personId: answer['personId'], role: 'owner' })
    const refused = { status: 403, code: 'forbidden' }
    expect(await post(path, invitation, sent)).toMatchObject(refused)
    const again = await post(`${api.at}/members/${String(answer['personId'])}/link`, {}, sent)
    expect(again).toMatchObject(refused)
  })
})

describe('a visitor who repeats a start', () => {
  test('needs a key that nobody can guess, because the key opens the session again', async () => {
    expect(await post(visitPath(), TYPED, { key: 'first' })).toMatchObject({
      status: 400,
      code: 'validation',
    })
  })

  test('shares nothing with visitors of another link', async () => {
    const sent = { key: randomUUID() }
    const { token } = await api.share()
    const mine = await post(visitPath(), TYPED, sent)
    const theirs = await post(`/r/${token}/sessions`, TYPED, sent)
    expect(theirs).toMatchObject({ status: 201, isReplayed: false })
    expect(theirs.answer['token']).not.toBe(mine.answer['token'])
  })

  test('gets nothing once the link is revoked', async () => {
    const { id, token } = await api.share()
    const sent = { key: randomUUID() }
    expect((await post(`/r/${token}/sessions`, TYPED, sent)).status).toBe(201)
    await api.revoke(id)
    expect(await post(`/r/${token}/sessions`, TYPED, sent)).toMatchObject({
      status: 404,
      code: 'share_link_invalid',
    })
  })

  test('gets the same response from a link that is used up', async () => {
    const { token } = await api.share({ maxUses: 1 })
    const sent = { key: randomUUID() }
    const first = await post(`/r/${token}/sessions`, TYPED, sent)
    expect(await post(`/r/${token}/sessions`, TYPED, sent)).toEqual({ ...first, isReplayed: true })
  })

  test('takes one use of the link, and gets the cookie again in a page', async () => {
    const { id, token } = await api.share()
    const sent = { key: randomUUID(), headers: { 'sec-fetch-site': 'same-origin' } }
    const first = await post(`/r/${token}/sessions`, TYPED, sent)
    expect(first.cookies).toEqual([expect.stringContaining('vis_')])
    expect(first.answer['token']).toBeUndefined()
    expect(await post(`/r/${token}/sessions`, TYPED, sent)).toEqual({ ...first, isReplayed: true })
    expect(await api.uses(id)).toBe(1)
  })
})

describe('[X4] the server may die at any time', () => {
  test('after the response was stored, another process gives it', async () => {
    const place = { databaseUrl: api.databaseUrl, home: api.home, logger: pino({ level: 'silent' }) }
    const dying = await startApi({ ...place, port: 0, ownerToken: OWNER })
    const sent = { key: randomUUID() }
    const first = await post('/reflections', { displayName: 'Survivor' }, { ...sent, url: dying.url })
    await dying.stop()
    const repeated = await post('/reflections', { displayName: 'Survivor' }, sent)
    expect(repeated).toEqual({ ...first, isReplayed: true })
  })

  test('before the response was stored, the request is never carried out a second time', async () => {
    const sent = { key: randomUUID() }
    const body = { displayName: 'Unfinished' }
    expect((await post('/reflections', body, sent)).status).toBe(201)
    const before = await runSql(api.databaseUrl, 'select from reflections')
    // As a process leaves it that dies between the creation and its response.
    await runSql(api.databaseUrl, 'update idempotent_requests set response = null')
    expect(await post('/reflections', body, sent)).toMatchObject({
      status: 409,
      code: 'request_in_progress',
      waitSeconds: '1',
    })
    await runSql(
      api.databaseUrl,
      `update idempotent_requests set running_until = now() - interval '1 second'`,
    )
    expect(await post('/reflections', body, sent)).toMatchObject({
      status: 409,
      code: 'request_outcome_unknown',
    })
    expect(await runSql(api.databaseUrl, 'select from reflections')).toHaveLength(before.length)
  })

  test('a day later the key is free, and the sweep deletes the rows', async () => {
    await api.database.idempotency.claim({
      caller: 'per_old',
      endpoint: 'POST /old',
      key: 'old',
      bodyHash: Buffer.alloc(32),
    })
    await runSql(api.databaseUrl, `update idempotent_requests set expires_at = now() - interval '1 second'`)
    const place = { databaseUrl: api.databaseUrl, home: api.home, logger: pino({ level: 'silent' }) }
    const next = await startApi({ ...place, port: 0, ownerToken: OWNER })
    await expect.poll(() => runSql(api.databaseUrl, 'select from idempotent_requests')).toEqual([])
    await next.stop()
  })
})

test('[X5] a secret that is shown once is not in the database as text', async () => {
  const sent = { key: randomUUID() }
  const shown = [
    String((await post('/tokens', { label: 'Secret', role: 'viewer' }, sent)).answer['token']),
    String((await post(`${api.at}/share-links`, {}, sent)).answer['token']),
    String((await post(`/r/${linkToken}/sessions`, { channel: 'text' }, sent)).answer['token']),
  ]
  for (const secret of [...shown, sent.key]) {
    expect(secret.length).toBeGreaterThan(20)
    expect(await findTablesContaining(api.databaseUrl, secret)).toEqual([])
    expect(await findTablesContaining(api.databaseUrl, Buffer.from(secret).toString('hex'))).toEqual([])
  }
})
