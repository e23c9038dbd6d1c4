import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SessionEvent, type SessionId, SessionPage, SessionView } from '@parley/contracts'
import { VISITOR_CAPS, createUsageQuery, createVisitorId, createVisitorLimits } from '@parley/reflections'
import { framesOf, sendMessage } from '../testing/test-api.ts'
import { CANARY, visitorApi } from './visitor-api.fixture.ts'

let api: Awaited<ReturnType<typeof visitorApi>>
beforeAll(async () => {
  api = await visitorApi()
})
afterAll(() => api[Symbol.asyncDispose]())

async function visiting(body: object = {}) {
  const link = await api.share(body)
  return { link, ...api.visited(await api.visit(link.token)) }
}

const say = (sessionId: string, token: string, text: string) =>
  sendMessage(api.url, { sessionId, token, text })

const listen = (sessionId: string, token: string) =>
  fetch(`${api.url}/v1/sessions/${sessionId}/events`, { headers: { authorization: `Bearer ${token}` } })

/** A session of the link that is on; not more than its row. */
async function seat(shareLinkId: string): Promise<SessionId> {
  const sessionId = `ses_${randomBytes(8).toString('hex')}` as SessionId
  await api.database.sessionRows.open({
    sessionId,
    reflectionId: api.reflectionId,
    personId: createVisitorId(randomBytes(12).toString('hex')),
    shareLinkId,
    channel: 'text',
    mode: 'share',
    sessionAudience: 'public',
    surface: 'public',
    role: 'guest',
    ingestion: 'keep-only',
    namespaces: ['essays'],
    status: 'active',
  })
  return sessionId
}

describe('[V17] a visitor', () => {
  test('talks in their session, listens, reads and ends it', async () => {
    const { sessionId, token } = await visiting()
    const at = `/sessions/${sessionId}`
    const frames = await framesOf(await say(sessionId, token, 'Where did you build the observatory?'))
    expect(frames.at(-1)?.event).toMatchObject({ type: 'session:turn_completed', stopReason: 'completed' })
    const asked = await framesOf(await say(sessionId, token, 'What do you call your boat?'))
    expect(JSON.stringify(asked)).not.toContain(CANARY)
    const read = await api.call('GET', `${at}/messages`, undefined, token)
    expect(JSON.stringify(read.answer)).toContain('Ankara')
    expect((await api.call('GET', at, undefined, token)).status).toBe(200)
    expect((await api.call('POST', `${at}/cancel`, {}, token)).status).toBe(202)
    expect((await api.call('POST', `${at}/end`, {}, token)).status).toBe(200)
    for (const [method, path] of [
      ['GET', at],
      ['POST', `${at}/end`],
      ['POST', `${at}/messages`],
    ] as const) {
      const body = method === 'POST' ? {} : undefined
      expect(await api.call(method, path, body, token)).toMatchObject({ status: 409, code: 'session_ended' })
    }
  })

  test('is called so where the owner reads what they said, and not where they read it themselves', async () => {
    const { sessionId, token } = await visiting()
    const ownerLabelOf = async (path: string, as?: string) => {
      const { answer } = await api.call('GET', path, undefined, as)
      const views = 'items' in Object(answer) ? SessionPage.parse(answer).items : [SessionView.parse(answer)]
      return views.find((view) => view.sessionId === sessionId)?.ownerLabel
    }
    expect(await ownerLabelOf(`/sessions/${sessionId}`)).toBe('Visitor')
    expect(await ownerLabelOf(`/sessions?whose=all&reflectionId=${api.reflectionId}`)).toBe('Visitor')
    expect(await ownerLabelOf(`/sessions/${sessionId}`, token)).toBeUndefined()
    const ended = await api.call('POST', `/sessions/${sessionId}/end`, {})
    expect(SessionView.parse(ended.answer).ownerLabel).toBe('Visitor')
  })

  test.each(['text', 'voice'])('[V5] [A4] is not off the record, so that each %s counts', async (channel) => {
    const link = await api.share()
    const refused = await api.visit(link.token, { channel, offRecord: true })
    expect(refused).toMatchObject({ status: 400, code: 'validation' })
    expect(JSON.stringify(refused.answer)).toContain('offRecord')
    expect(await api.uses(link.id)).toBe(0)
  })

  test('[A4] reconnects are limited, and each counts as a start of the day', async () => {
    const link = await api.share({ maxUses: 1 })
    const { sessionId, token } = api.visited(await api.visit(link.token, { channel: 'voice' }))
    const reconnect = () => api.call('POST', `/sessions/${sessionId}/reconnect`, {}, token)
    const started = async () =>
      (await api.database.shareLinks.readUsage(link.id, createUsageQuery(Date.now()))).started
    expect(await started()).toBe(1)
    const most = VISITOR_CAPS.reconnectsPerSession
    for (let before = 0; before < most - 1; before += 1) {
      expect(await api.database.sessionRows.takeReconnect(sessionId, most)).toBe(true)
    }
    expect((await reconnect()).status).toBe(200)
    expect(await reconnect()).toMatchObject({
      status: 429,
      code: 'rate_limited',
      answer: { detail: expect.stringMatching(/reconnected 5 times.*start another one/) },
    })
    expect(await started()).toBe(1 + most)
  })

  test('[A4] no reconnect once the starts of the day are used up, with the time of the next', async () => {
    const link = await api.share()
    const { sessionId, token } = api.visited(await api.visit(link.token, { channel: 'voice' }))
    await Promise.all(Array.from({ length: VISITOR_CAPS.startsPerDay - 1 }, () => seat(link.id)))
    const refused = await fetch(`${api.url}/v1/sessions/${sessionId}/reconnect`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('after midnight, UTC') })
  })

  test.each([
    ['GET', '/export'],
    ['POST', '/export'],
    ['POST', '/fork'],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/resume'],
    ['POST', '/compact'],
    ['POST', '/approvals/call_1'],
  ])('may not %s %s of their own session', async (method, part) => {
    const { sessionId, token } = await visiting()
    const body = method === 'GET' ? undefined : {}
    expect(await api.call(method, `/sessions/${sessionId}${part}`, body, token)).toMatchObject({
      status: 403,
      code: 'forbidden',
    })
  })

  test('reaches no other session, and nothing else', async () => {
    const link = await api.share()
    const one = api.visited(await api.visit(link.token))
    const other = api.visited(await api.visit(link.token))
    for (const part of ['', '/messages', '/events']) {
      expect(
        await api.call('GET', `/sessions/${one.sessionId}${part}`, undefined, other.token),
      ).toMatchObject({
        status: 404,
        code: 'session_not_found',
      })
    }
    for (const path of ['/sessions', '/reflections', api.at, '/tokens']) {
      expect((await api.call('GET', path, undefined, other.token)).status).toBe(403)
    }
  })

  test('is out at once when the link is revoked: requests, streams and what the session could see', async () => {
    const { link, sessionId, token } = await visiting()
    const stream = await listen(sessionId, token)
    expect(stream.status).toBe(200)
    expect((await api.revoke(link.id)).status).toBe(204)
    expect((await api.call('GET', `/sessions/${sessionId}`, undefined, token)).status).toBe(401)
    expect((await say(sessionId, token, 'Are you there?')).status).toBe(401)
    const told = await framesOf(stream)
    expect(told.map(({ event }) => event.type)).toEqual(['session:started'] satisfies SessionEvent['type'][])
    const session = await api.database.sessionRows.find(sessionId)
    if (!session) throw new Error('The session is not there')
    const { services, close } = await api.services()
    const found = await services.retrieveForSession(session, 'observatory Ankara', AbortSignal.timeout(5_000))
    await close()
    expect(found.evidence).toEqual([])
  })

  test('is out when the link is over', async () => {
    const { link, sessionId, token } = await visiting({ expiresAt: api.inAnHour() })
    const status = async () => (await api.call('GET', `/sessions/${sessionId}`, undefined, token)).status
    expect(await status()).toBe(200)
    await api.anHourPasses(link.id)
    await expect.poll(status, { interval: 200 }).toBe(401)
  })

  test('[A4] says nothing too long, and opens few streams', async () => {
    const { sessionId, token } = await visiting()
    const long = await say(sessionId, token, 'x'.repeat(VISITOR_CAPS.bodyBytes))
    expect(long.status).toBe(413)
    await using streams = openStreams()
    for (let open = 0; open < VISITOR_CAPS.streamsAtOnce; open += 1) {
      expect((await streams.open(sessionId, token)).status).toBe(200)
    }
    expect((await streams.open(sessionId, token)).status).toBe(429)
  })

  test('[A4] asks only so often', async () => {
    const { sessionId, token } = await visiting()
    const asked = await Promise.all(
      Array.from({ length: 250 }, () => api.call('GET', `/sessions/${sessionId}`, undefined, token)),
    )
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200, 429]))
  })
})

describe('[A4] a link', () => {
  test('limits active sessions, with the time for the next try', async () => {
    const link = await api.share()
    await Promise.all(Array.from({ length: VISITOR_CAPS.sessionsAtOnce }, () => seat(link.id)))
    const refused = await fetch(`${api.url}/v1/r/${link.token}/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringContaining(`${VISITOR_CAPS.sessionsAtOnce} active sessions`),
    })
    expect(await api.uses(link.id)).toBe(VISITOR_CAPS.sessionsAtOnce)
  })

  test('is not closed for others by sessions that end at once and cost nothing', async () => {
    const link = await api.share()
    const seats = await Promise.all(Array.from({ length: VISITOR_CAPS.sessionsAtOnce }, () => seat(link.id)))
    for (const sessionId of seats) await api.database.sessionRows.end(sessionId)
    expect(await api.visit(link.token)).toMatchObject({ status: 201 })
  })

  test('shares the rest of its day among the active sessions', async () => {
    const limits = createVisitorLimits(api.database.shareLinks, Date.now)
    const { link, sessionId } = await visiting()
    const found = await api.database.sessionRows.find(sessionId)
    if (!found) throw new Error('The session is not there')
    const session = { id: sessionId, ownerId: found.personId }
    const { turnsPerSession: maxTurns, microcentsPerDay } = VISITOR_CAPS
    expect(await limits(session)).toEqual({ maxTurns, maxCostMicrocents: microcentsPerDay, onExceed: 'fail' })
    await seat(link.id)
    expect(await limits(session)).toMatchObject({ maxCostMicrocents: microcentsPerDay / 2 })
  })

  test('sets no limit to who is no visitor', async () => {
    const limits = createVisitorLimits(api.database.shareLinks, Date.now)
    expect(
      limits({ id: 'ses_1' as SessionId, ownerId: (await api.member('viewer', api.reflectionId)).personId }),
    ).toBe(undefined)
  })
})

function openStreams() {
  const abort = new AbortController()
  return {
    open: (sessionId: string, token: string) =>
      fetch(`${api.url}/v1/sessions/${sessionId}/events`, {
        headers: { authorization: `Bearer ${token}` },
        signal: abort.signal,
      }),
    async [Symbol.asyncDispose]() {
      abort.abort()
    },
  }
}
