import type { SessionEvent, SessionId, SessionMessage } from '@parley/contracts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type ApiClient,
  applyEvent,
  type ConnectionState,
  createApiClient,
  openTranscript,
  type TranscriptTurn,
  turnsOf,
} from './index.ts'
import { startFakeApi, steeredModel } from './testing/index.ts'

type FakeApiOptions = Parameters<typeof startFakeApi>[0]

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const timing = { firstRetryMs: 5, longestRetryMs: 20 }

async function open(given: Partial<FakeApiOptions> & { silenceMs?: number } = {}) {
  const model = steeredModel()
  const { silenceMs, ...options } = given
  const api = await startFakeApi({ model, ...options })
  closing.push(() => api.close())
  const client = createApiClient({
    baseUrl: api.url,
    token: api.token,
    timing: { ...timing, ...(silenceMs !== undefined && { silenceMs }) },
  })
  return { api, client, model }
}

/** Reads a session from its first event on; `turns` says what it shows by now. */
function follow(client: ApiClient, sessionId: SessionId) {
  const leaving = new AbortController()
  closing.unshift(() => leaving.abort())
  const events: SessionEvent[] = []
  const states: ConnectionState[] = []
  let transcript = openTranscript({ lastSequence: 0 }, [])
  const onConnection = (state: ConnectionState) => void states.push(state)
  const reading = (async () => {
    for await (const event of client.sessions.events({
      sessionId,
      after: 0,
      signal: leaving.signal,
      onConnection,
    })) {
      events.push(event)
      transcript = applyEvent(transcript, event)
    }
  })()
  return { events, states, reading, turns: () => turnsOf(transcript), leave: () => leaving.abort() }
}

const said = (turns: readonly TranscriptTurn[]) =>
  turns.map(({ parts }) => parts.map((part) => (part.kind === 'tool' ? '' : part.text)).join(''))

const shownBy = (messages: readonly SessionMessage[]) =>
  turnsOf(openTranscript({ lastSequence: 0 }, messages))

const ended = (turns: readonly TranscriptTurn[]) => turns.at(-1)?.state === 'completed'

const patiently = { timeout: 5_000, interval: 5 }

describe('calls', () => {
  test('[S2] start, send, read, list', async () => {
    const { client, model } = await open()
    expect(await client.me()).toMatchObject({ role: 'owner', label: 'Ada' })
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    const { turnId } = await client.sessions.send({ sessionId, text: 'Hello', idempotencyKey: 'a' })
    await expect.poll(reader.turns, patiently).toMatchObject([{ state: 'running' }])
    expect(await client.sessions.get(sessionId)).toMatchObject({ title: 'Hello', runningTurnId: turnId })
    model.say({ type: 'text', text: 'Good day.' })
    model.finish()
    await expect.poll(() => ended(reader.turns()), patiently).toBe(true)
    const { items } = await client.sessions.messages({ sessionId })
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(await client.sessions.messages({ sessionId, after: 1, limit: 5 })).toEqual({
      items: items.slice(1),
    })
    expect(await client.sessions.list({ limit: 1 })).toMatchObject({
      items: [{ sessionId, messageCount: 2 }],
    })
    expect(shownBy(items)).toEqual(reader.turns())
  })

  test('[S2] cancel keeps what was said', async () => {
    const { client, model } = await open()
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    await client.sessions.send({ sessionId, text: 'Hello', idempotencyKey: 'a' })
    model.say({ type: 'text', text: 'Well, ' })
    await expect.poll(() => said(reader.turns()), patiently).toEqual(['Well, '])
    expect(await client.sessions.cancel(sessionId)).toEqual({ cancelled: true })
    await expect.poll(() => reader.turns().at(-1)?.state, patiently).toBe('cancelled')
    expect(shownBy((await client.sessions.messages({ sessionId })).items)).toEqual(reader.turns())
  })

  test('a message sent again under its key is not doubled', async () => {
    const { client } = await open()
    const { sessionId } = await client.sessions.start()
    const message = { sessionId, text: 'Hello', idempotencyKey: 'a' }
    expect(await client.sessions.send(message)).toEqual(await client.sessions.send(message))
    expect((await client.sessions.messages({ sessionId })).items).toHaveLength(1)
  })
})

describe('failures', () => {
  test('a refusal carries the code and the detail of the problem', async () => {
    const { api } = await open()
    const stranger = createApiClient({ baseUrl: api.url, token: 'wrong' })
    await expect(stranger.me()).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'This token is not valid, or no longer.',
    })
  })

  test.each([
    [401, 'unauthenticated'],
    [404, 'not_found'],
    [418, 'internal'],
    [502, 'server_unreachable'],
  ])('status %i that is no problem of ours is %s', async (status, code) => {
    const { client } = await open({
      intercept: (_, response) => Boolean(response.writeHead(status).end('<html>')),
    })
    await expect(client.me()).rejects.toMatchObject({ code, detail: { status } })
  })

  test('an answer of another shape is said to be so', async () => {
    const { client } = await open({
      intercept: (_, response) => Boolean(response.writeHead(200).end('<html>')),
    })
    await expect(client.me()).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringMatching(/version/),
    })
  })

  test('a server that is not there is named', async () => {
    const { api, client } = await open()
    await api.close()
    closing.pop()
    await expect(client.me()).rejects.toMatchObject({
      code: 'server_unreachable',
      message: expect.stringContaining(api.url),
    })
  })

  test('reading a session that is not there ends at once', async () => {
    const { client } = await open()
    await expect(follow(client, 'ses_0' as SessionId).reading).rejects.toMatchObject({
      code: 'session_not_found',
    })
  })
})

describe('[S6] events', () => {
  test('a reader that is cut off again and again has what one has that never was', async () => {
    const { api, client, model } = await open()
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    await client.sessions.send({ sessionId, text: 'Count', idempotencyKey: 'a' })
    const numbers = Array.from({ length: 120 }, (_, index) => `${index} `)
    for (const [index, text] of numbers.entries()) {
      model.say({ type: index % 40 < 5 ? 'reasoning' : 'text', text })
      if (index % 7 === 0) api.cutStreams()
      if (index % 10 === 0) await vi.waitUntil(() => said(reader.turns())[0]?.includes(text), patiently)
    }
    api.cutStreams()
    model.finish()
    await expect.poll(() => ended(reader.turns()), patiently).toBe(true)
    const calm = follow(client, sessionId)
    await expect.poll(() => ended(calm.turns()), patiently).toBe(true)
    expect(reader.turns()).toEqual(calm.turns())
    expect(said(reader.turns())).toEqual([numbers.join('')])
    expect(reader.states).toContain('reconnecting')
  })

  test('a number that is missing is asked for again', async () => {
    let lossy = true
    const { client, model } = await open({
      async *events(events) {
        for await (const event of events) {
          if (lossy && event.type === 'agent:token') lossy = false
          else yield event
        }
      },
    })
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    await client.sessions.send({ sessionId, text: 'Hello', idempotencyKey: 'a' })
    model.say({ type: 'text', text: 'One. ' }, { type: 'text', text: 'Two.' })
    model.finish()
    await expect.poll(() => ended(reader.turns()), patiently).toBe(true)
    expect(lossy).toBe(false)
    expect(said(reader.turns())).toEqual(['One. Two.'])
  })

  test('a type that was invented later counts, and is not passed on', async () => {
    const { client, model } = await open({
      async *events(events) {
        for await (const event of events) {
          yield (event.type === 'agent:reasoning' ? { ...event, type: 'agent:sang' } : event) as SessionEvent
        }
      },
    })
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    await client.sessions.send({ sessionId, text: 'Hello', idempotencyKey: 'a' })
    model.say({ type: 'reasoning', text: 'la' }, { type: 'text', text: 'Yes.' })
    model.finish()
    await expect.poll(() => ended(reader.turns()), patiently).toBe(true)
    expect(reader.events.map(({ type }) => type)).toEqual([
      'session:started',
      'session:turn_started',
      'agent:token',
      'session:turn_completed',
    ])
    expect(reader.states).toEqual(['live'])
  })

  test('a stream that falls silent is opened again', async () => {
    let mute = true
    const { client } = await open({
      silenceMs: 50,
      intercept(request, response) {
        if (!mute || !request.url?.endsWith('/events')) return false
        mute = false
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        return true
      },
    })
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    await expect.poll(() => reader.events, patiently).toHaveLength(1)
    expect(reader.states.slice(0, 3)).toEqual(['live', 'reconnecting', 'live'])
  })

  test('a server that is away for a while is waited for', async () => {
    let refusals = 3
    const { client } = await open({
      intercept: (request, response) =>
        request.url?.endsWith('/events') === true && refusals-- > 0 && Boolean(response.writeHead(503).end()),
    })
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    await expect.poll(() => reader.events, patiently).toHaveLength(1)
    expect(reader.states).toEqual(['reconnecting', 'reconnecting', 'reconnecting', 'live'])
  })

  test('a reader that leaves is done', async () => {
    const { client } = await open()
    const { sessionId } = await client.sessions.start()
    const reader = follow(client, sessionId)
    await expect.poll(() => reader.events, patiently).toHaveLength(1)
    reader.leave()
    await expect(reader.reading).resolves.toBeUndefined()
  })
})
