import { createApiClient, listTurns } from '@parley/api-client'
import { startFakeApi, createSteeredModel } from '@parley/api-client/testing'
import { createFakeTools } from '@parley/engine/testing'
import type { ServerResponse } from 'node:http'
import type { CallId, SessionId, SessionView } from '@parley/contracts'
import { afterEach, describe, expect, test } from 'vitest'
import { createBrowserStorage, type BrowserStorage } from '../app/browser-storage.ts'
import { createSessionReader, type SessionReader } from './session-reader.ts'
import { isVoiceCallRunning, type OpenSession } from './session-state.ts'

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const patiently = { timeout: 5_000, interval: 5 }

async function setUp() {
  const faults = {
    sends: 'pass' as 'pass' | 'refuse' | 'lose the answer',
    ends: 'pass' as 'pass' | 'refuse',
    mayDecide: true,
    longestPage: 40,
  }
  const model = createSteeredModel()
  const api = await startFakeApi({
    model,
    tools: carefulTools,
    intercept(request, response) {
      request.url =
        request.url?.replace(/(?<=limit=)\d+/, (limit) => `${Math.min(+limit, faults.longestPage)}`) ?? ''
      if (request.url.includes('/approvals/') && !faults.mayDecide) return forbid(response)
      if (request.url.endsWith('/end') && faults.ends === 'refuse') return forbid(response)
      if (request.method !== 'POST' || !request.url.endsWith('/messages')) return false
      if (faults.sends === 'refuse') response.writeHead(503).end()
      if (faults.sends === 'lose the answer') response.writeHead = () => response.destroy()
      return faults.sends === 'refuse'
    },
  })
  closing.push(() => api.close())
  const timing = { firstRetryMs: 5, longestRetryMs: 20 }
  const client = createApiClient({ baseUrl: api.url, token: api.token, timing })
  const { sessionId } = await client.sessions.start()
  const storage = memoryStorage()
  const visit = () => openReader(sessionId, { client, storage, quietMs: 50 })
  return { api, client, model, faults, sessionId, visit }
}

const call = { id: 'call-1' as CallId, name: 'write_file', input: {} }

/** Tools that ask a person before they do anything. */
const carefulTools = createFakeTools({
  findTargetToApprove: () => 'notes.md',
  run: async (_, { decision }) => ({ kind: 'ok', text: decision ?? '' }),
})

const NOT_ALLOWED = 'This needs the role operator; your token has viewer.'

function forbid(response: ServerResponse): true {
  const about = { type: 'urn:x', title: 'Not allowed', status: 403, code: 'forbidden' }
  const problem = { ...about, detail: NOT_ALLOWED, requestId: 'made-up' }
  response.writeHead(403, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
  return true
}

function memoryStorage(): BrowserStorage {
  return createBrowserStorage(() => {
    throw new Error('there is no browser here')
  })
}

/** A visit to the session's page, until it is left. */
function openReader(
  sessionId: SessionId,
  host: Pick<Parameters<typeof createSessionReader>[1], 'client' | 'storage' | 'quietMs'>,
) {
  let keys = 0
  const reader = createSessionReader(sessionId, {
    ...host,
    createKey: () => `${sessionId}-${Date.now()}-${keys++}`,
  })
  const leave = reader.open()
  closing.push(leave)
  return { reader, leave }
}

function open(reader: SessionReader): OpenSession | undefined {
  const state = reader.state()
  return state.kind === 'open' ? state : undefined
}

/** Questions, answers and how they ended, a line each. */
function describeTurns(reader: SessionReader): readonly string[] {
  const state = open(reader)
  if (!state) return []
  return [
    ...listTurns(state.transcript).map(({ parts, state: ending }) => {
      const words = parts.map((part) => (part.kind === 'tool' ? '' : part.text)).join('')
      return `${ending}: ${words}`
    }),
    ...state.outbox.map((outgoing) => `${outgoing.state} ${outgoing.text}`),
  ]
}

const lastTurn = (reader: SessionReader) => {
  const state = open(reader)
  return state && listTurns(state.transcript).at(-1)
}

async function isOpen(reader: SessionReader) {
  await expect.poll(() => open(reader) !== undefined, patiently).toBe(true)
}

describe('reading', () => {
  test('[S6] a page loaded mid-answer shows the text so far and follows the rest', async () => {
    const { model, visit: openVisit } = await setUp()
    const first = openVisit()
    await isOpen(first.reader)
    first.reader.send('Hello')
    model.say({ type: 'text', text: 'Good ' })
    await expect.poll(() => describeTurns(first.reader), patiently).toEqual(['running: Good '])
    first.leave()
    const second = openVisit()
    await expect.poll(() => describeTurns(second.reader), patiently).toEqual(['running: Good '])
    model.say({ type: 'text', text: 'day.' })
    model.finish()
    await expect.poll(() => describeTurns(second.reader), patiently).toEqual(['completed: Good day.'])
    expect(open(second.reader)?.session.title).toBe('Hello')
  })

  test('[S6] a hidden page stops listening and catches up later', async () => {
    const { client, model, visit, sessionId } = await setUp()
    const { reader } = visit()
    await isOpen(reader)
    reader.pause()
    await client.sessions.send({ sessionId, text: 'Hello', idempotencyKey: 'made-up-key' })
    model.say({ type: 'text', text: 'Good ' })
    const other = visit()
    await expect.poll(() => describeTurns(other.reader), patiently).toEqual(['running: Good '])
    expect(describeTurns(reader)).toEqual([])
    reader.resume()
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['running: Good '])
    model.say({ type: 'text', text: 'day.' })
    model.finish()
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['completed: Good day.'])
    expect(open(reader)?.session.title).toBe('Hello')
  })

  test('[V16] a running call is polled, and its transcript is read once stored', async () => {
    const { client, sessionId } = await setUp()
    let transcript = 'pending'
    const get: typeof client.sessions.get = async (id) =>
      ({ ...(await client.sessions.get(id)), reflection: { transcript } }) as SessionView
    const watched = { ...client, sessions: { ...client.sessions, get } }
    const { reader } = openReader(sessionId, { client: watched, storage: memoryStorage(), quietMs: 20 })
    await isOpen(reader)
    expect(isVoiceCallRunning(open(reader)?.session)).toBe(true)
    transcript = 'stored'
    await expect.poll(() => isVoiceCallRunning(open(reader)?.session), patiently).toBe(false)
  })

  test('the reason for a missing answer is shown at the next visit too', async () => {
    const { model, visit } = await setUp()
    const first = visit()
    await isOpen(first.reader)
    first.reader.send('Hello')
    const error = { code: 'provider_auth', message: 'The key was refused.', retryable: false } as const
    model.say({ type: 'failure', error })
    await expect.poll(() => describeTurns(first.reader), patiently).toEqual(['error: '])
    const second = visit()
    await expect.poll(() => lastTurn(second.reader), patiently).toMatchObject({ error })
  })

  test('[X4] a turn whose process died is detected and can be continued', async () => {
    const { api, client, model, sessionId, visit } = await setUp()
    const { reader } = visit()
    await isOpen(reader)
    reader.send('Hello')
    model.say({ type: 'text', text: 'Never stored' })
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['running: Never stored'])
    api.killProcess()
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['interrupted: '])
    reader.continueTurn()
    expect(open(reader)?.request.kind).toBe('pending')
    model.say({ type: 'text', text: 'Good day.' })
    model.finish()
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['completed: Good day.'])
    expect(open(reader)?.request.kind).toBe('none')
    expect((await client.sessions.messages({ sessionId })).items).toHaveLength(2)
  })

  test('[X4] a turn whose process died can be sent again as a new message', async () => {
    const { api, visit } = await setUp()
    const { reader } = visit()
    await isOpen(reader)
    reader.send('Hello')
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['running: '])
    api.killProcess()
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['interrupted: '])
    reader.send('Hello')
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['error: ', 'running: '])
  })

  test.each([
    ['as many as were asked for', 40],
    ['a few at a time', 8],
  ])('the last messages load first, earlier ones on request: %s', async (_, longestPage) => {
    const { client, faults, model, sessionId, visit } = await setUp()
    faults.longestPage = longestPage
    const writer = visit()
    await isOpen(writer.reader)
    for (let number = 1; number <= 25; number += 1) {
      await client.sessions.send({ sessionId, text: `${number}`, idempotencyKey: `${number}` })
      model.say({ type: 'text', text: `answer ${number}` })
      model.finish()
      await expect.poll(() => describeTurns(writer.reader), patiently).toHaveLength(number)
      await expect.poll(() => lastTurn(writer.reader)?.state, patiently).toBe('completed')
    }
    const { reader } = visit()
    await isOpen(reader)
    expect(describeTurns(reader)).toHaveLength(20)
    expect(open(reader)?.earlier).toBe('available')
    reader.showEarlier()
    await expect.poll(() => open(reader)?.earlier, patiently).toBe('none')
    expect(describeTurns(reader)).toEqual(describeTurns(writer.reader))
  })

  test('a missing session is reported', async () => {
    const { client } = await setUp()
    const { reader } = openReader('ses_0' as SessionId, { client, storage: memoryStorage() })
    await expect
      .poll(() => reader.state(), patiently)
      .toMatchObject({ kind: 'failed', error: 'There is no session ses_0.' })
  })
})

describe('ending', () => {
  test('[S2] an end in one window appears in another after polling, with its time', async () => {
    const { visit } = await setUp()
    const [{ reader: first }, { reader: second }] = [visit(), visit()]
    await expect.poll(() => open(first) && open(second), patiently).toBeDefined()
    await first.end()
    expect(open(first)?.session.status).toBe('ended')
    expect(open(second)?.session.status).toBe('active')
    second.refresh()
    await expect.poll(() => open(second)?.session.status, patiently).toBe('ended')
    expect(open(second)?.session.updatedAt).toBe(open(first)?.session.updatedAt)
  })

  test('[S2] a refused end counts if the session already ended, otherwise it is reported', async () => {
    const { visit, faults, client, sessionId } = await setUp()
    const { reader } = visit()
    await expect.poll(() => open(reader), patiently).toBeDefined()
    faults.ends = 'refuse'
    await expect(reader.end()).rejects.toThrow(NOT_ALLOWED)
    expect(open(reader)?.session.status).toBe('active')
    faults.ends = 'pass'
    await client.sessions.end(sessionId)
    faults.ends = 'refuse'
    await reader.end()
    expect(open(reader)?.session.status).toBe('ended')
  })

  test('a failure stays visible until another attempt has a result', async () => {
    const { client } = await setUp()
    const { reader } = openReader('ses_gone' as SessionId, { client, storage: memoryStorage() })
    await expect.poll(() => reader.state().kind, patiently).toBe('failed')
    const states: string[] = []
    closing.push(reader.subscribe(() => states.push(reader.state().kind)))
    closing.push(reader.open('keep-view'))
    await expect.poll(() => states, patiently).toEqual(['failed'])
  })
})

describe('writing', () => {
  test('an unsent message survives visits until it is sent again', async () => {
    const { faults, visit } = await setUp()
    const first = visit()
    await isOpen(first.reader)
    faults.sends = 'refuse'
    first.reader.send('Hello')
    await expect.poll(() => describeTurns(first.reader), patiently).toEqual(['failed Hello'])
    expect(open(first.reader)?.outbox[0]?.reason).toContain('503')
    faults.sends = 'pass'
    const second = visit()
    await expect.poll(() => describeTurns(second.reader), patiently).toEqual(['failed Hello'])
    second.reader.sendAgain(open(second.reader)?.outbox[0]?.key ?? '')
    await expect.poll(() => describeTurns(second.reader), patiently).toEqual(['running: '])
    const third = visit()
    await expect.poll(() => describeTurns(third.reader), patiently).toEqual(['running: '])
  })

  test('a message whose confirmation was lost is shown once', async () => {
    const { client, faults, sessionId, visit } = await setUp()
    const first = visit()
    await isOpen(first.reader)
    faults.sends = 'lose the answer'
    first.reader.send('Hello')
    await expect.poll(() => describeTurns(first.reader), patiently).toEqual(['running: '])
    expect((await client.sessions.messages({ sessionId })).items).toHaveLength(1)
  })

  test('the same words twice are two messages', async () => {
    const { client, model, sessionId, visit } = await setUp()
    const { reader } = visit()
    await isOpen(reader)
    reader.send('Again')
    model.say({ type: 'text', text: 'Once.' })
    model.finish()
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['completed: Once.'])
    reader.send('Again')
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['completed: Once.', 'running: '])
    expect((await client.sessions.messages({ sessionId })).items).toHaveLength(3)
  })

  test('a discarded message is gone', async () => {
    const { faults, visit } = await setUp()
    const { reader } = visit()
    await isOpen(reader)
    faults.sends = 'refuse'
    reader.send('Hello')
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['failed Hello'])
    reader.discard(open(reader)?.outbox[0]?.key ?? '')
    expect(describeTurns(reader)).toEqual([])
    const later = visit()
    await isOpen(later.reader)
    expect(describeTurns(later.reader)).toEqual([])
  })

  test('[S2] stopping keeps the text so far', async () => {
    const { model, visit } = await setUp()
    const { reader } = visit()
    await isOpen(reader)
    reader.send('Hello')
    model.say({ type: 'text', text: 'Well, ' })
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['running: Well, '])
    reader.stop()
    expect(open(reader)?.stopping).toBe(true)
    await expect.poll(() => describeTurns(reader), patiently).toEqual(['cancelled: Well, '])
    expect(open(reader)?.stopping).toBe(false)
  })
})

async function untilItWaits() {
  const parts = await setUp()
  const { reader } = parts.visit()
  await isOpen(reader)
  reader.send('Write it down')
  parts.model.say({ type: 'tool_call', call })
  parts.model.finish()
  const waitsFor = { callId: call.id, tool: 'write_file', target: 'notes.md' }
  await expect.poll(() => lastTurn(reader), patiently).toMatchObject({ state: 'waiting', waitsFor })
  return { ...parts, reader, waitsFor }
}

describe('deciding', () => {
  test('[S13] a call continues as the person decides', async () => {
    const { model, reader, waitsFor } = await untilItWaits()
    reader.decide(waitsFor, 'refuse')
    model.say({ type: 'text', text: 'As you wish.' })
    model.finish()
    await expect.poll(() => lastTurn(reader)?.state, patiently).toBe('completed')
    expect(lastTurn(reader)?.parts).toMatchObject([{ outcome: { text: 'refuse' } }, { text: 'As you wish.' }])
  })

  test('[S13] a waiting call survives a reload and the death of its process', async () => {
    const { api, visit, waitsFor } = await untilItWaits()
    api.killProcess()
    const { reader } = visit()
    await expect.poll(() => lastTurn(reader), patiently).toMatchObject({ state: 'waiting', waitsFor })
  })

  test('[A3] a person who may not decide sees why, and the call keeps waiting', async () => {
    const { faults, reader, waitsFor } = await untilItWaits()
    faults.mayDecide = false
    reader.decide(waitsFor, 'allow')
    const refused = { kind: 'refused', reason: NOT_ALLOWED }
    await expect.poll(() => open(reader)?.request, patiently).toEqual(refused)
    expect(lastTurn(reader)?.state).toBe('waiting')
    faults.mayDecide = true
    reader.decide(waitsFor, 'allow')
    await expect.poll(() => lastTurn(reader)?.state, patiently).toBe('running')
    expect(open(reader)?.request.kind).toBe('none')
  })

  test('[S2] a waiting turn can be stopped', async () => {
    const { reader } = await untilItWaits()
    reader.stop()
    await expect.poll(() => lastTurn(reader)?.state, patiently).toBe('cancelled')
    expect(open(reader)?.stopping).toBe(false)
  })
})
