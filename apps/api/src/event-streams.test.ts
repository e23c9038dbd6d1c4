import { connect } from 'node:net'
import { OpenAPIHono } from '@hono/zod-openapi'
import { type PersonId, PlatformError, type SessionEvent, SessionView } from '@parley/contracts'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { ApiEnv } from './api-env.ts'
import type { Entrant } from './auth/authenticate.ts'
import { hashToken } from './auth/tokens.ts'
import { createEventStreams } from './event-streams.ts'
import { listen } from './listen.ts'
import { eventStream } from './sse.ts'
import { framesOf, testApi } from './testing/test-api.ts'

const closing: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const eventOf = (sequenceNumber: number, token = 'x'): SessionEvent =>
  ({ type: 'agent:token', sequenceNumber, token }) as SessionEvent

/** A controlled source that knows whether it is read. */
function createSource(events: readonly SessionEvent[] = []) {
  const state = { isRead: false, given: 0 }
  const waiting = [...events]
  let wake: (() => void) | undefined
  const read = async function* (signal: AbortSignal) {
    state.isRead = true
    signal.addEventListener('abort', () => wake?.())
    try {
      while (!signal.aborted) {
        const event = waiting.shift()
        if (event) {
          state.given += 1
          yield event
        } else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    } finally {
      state.isRead = false
    }
  }
  return {
    state,
    read,
    give: (...more: readonly SessionEvent[]) => {
      waiting.push(...more)
      wake?.()
    },
  }
}

async function serve(answer: () => Response) {
  const app = new OpenAPIHono<ApiEnv>()
  app.get('/', answer)
  app.onError((failure, c) => c.text(failure instanceof PlatformError ? failure.code : 'internal', 500))
  const failures: unknown[] = []
  const { url, ...listening } = await listen(app, 0, (failure) => failures.push(failure))
  closing.push(() => listening.close())
  return { url, failures }
}

const counter = () => {
  const count = { now: 0 }
  return { count, inc: () => (count.now += 1), dec: () => (count.now -= 1) }
}

const entrant = (person: string): Entrant => ({
  personId: person as PersonId,
  role: 'viewer',
  label: person,
  tokenHash: hashToken(person),
})

describe('the stream', () => {
  test('sends the reconnect delay first, then each event with its number', async () => {
    const source = createSource()
    const { url } = await serve(() => {
      const abort = new AbortController()
      return eventStream(source.read(abort.signal), abort)
    })
    const reader = (await fetch(url)).body?.pipeThrough(new TextDecoderStream()).getReader()
    expect(await reader?.read()).toMatchObject({ value: 'retry: 1000\n\n' })
    source.give(eventOf(7))
    expect(await reader?.read()).toMatchObject({
      value: 'id: 7\nevent: agent:token\ndata: {"type":"agent:token","sequenceNumber":7,"token":"x"}\n\n',
    })
    await reader?.cancel()
    await expect.poll(() => source.state.isRead).toBe(false)
  })

  test('sends heartbeats without a number while no event comes', async () => {
    const source = createSource()
    const { url } = await serve(() => {
      const abort = new AbortController()
      return eventStream(source.read(abort.signal), abort, { heartbeatMs: 20 })
    })
    const reader = (await fetch(url)).body?.pipeThrough(new TextDecoderStream()).getReader()
    let heard = ''
    while (!heard.endsWith(':\n\n:\n\n')) heard += (await reader?.read())?.value ?? ''
    expect(heard).not.toContain('id')
    source.give(eventOf(7))
    while (!heard.includes('data')) heard += (await reader?.read())?.value ?? ''
    expect(heard).toContain('id: 7')
    await reader?.cancel()
  })

  test('available events are sent together; none is lost, and long ones arrive complete', async () => {
    const events = Array.from({ length: 5_000 }, (_, index) =>
      eventOf(index + 1, index % 500 === 0 ? '🌍'.repeat(50_000) : 'word '),
    )
    const source = createSource(events)
    const { url } = await serve(() => {
      const abort = new AbortController()
      return eventStream(source.read(abort.signal), abort)
    })
    const frames = await framesOf(await fetch(url), ({ sequenceNumber }) => sequenceNumber === 5_000)
    expect(frames.map(({ event }) => event)).toEqual(events)
  })

  test('[S6] a stalled reader gets few bytes and is disconnected', async () => {
    const source = createSource(
      Array.from({ length: 500 }, (_, index) => eventOf(index + 1, 'x'.repeat(100_000))),
    )
    const { url, failures } = await serve(() => {
      const abort = new AbortController()
      return eventStream(source.read(abort.signal), abort, { stalledMs: 300 })
    })
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    closing.push(() => void socket.destroy())
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await expect.poll(() => failures).toHaveLength(1)
    expect(source.state).toMatchObject({ isRead: false })
    // What the system's own buffers took is not ours to say.
    expect(source.state.given).toBeLessThan(120)
  })

  test('[S6] a slow reader stays connected', async () => {
    const source = createSource([eventOf(1, 'x'.repeat(30_000_000)), eventOf(2)])
    const { url, failures } = await serve(() => {
      const abort = new AbortController()
      return eventStream(source.read(abort.signal), abort, { stalledMs: 2_000 })
    })
    const reader = (await fetch(url)).body?.getReader()
    let bytes = 0
    const began = performance.now()
    while (bytes < 30_000_000) {
      bytes += (await reader?.read())?.value?.length ?? 0
      if (performance.now() - began < 4_500) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(failures).toEqual([])
    await reader?.cancel()
  })
})

describe('the reader of a stream', () => {
  const ADA = entrant('per_ada')
  const BEN = entrant('per_ben')

  test('[S6] each person has the same limit of streams', async () => {
    const readers = counter()
    const streams = createEventStreams({ readers, findCaller: async () => ADA, maxPerPerson: 2 })
    const source = createSource()
    let person = ADA
    const { url } = await serve(() => streams.answer(person, source.read))
    const open = async () => {
      const response = await fetch(url)
      const reader = response.body?.getReader()
      await reader?.read()
      return { response, reader }
    }
    const [first] = [await open(), await open()]
    expect(await (await fetch(url)).text()).toBe('rate_limited')
    person = BEN
    await open()
    expect(readers.count.now).toBe(3)
    await first.reader?.cancel()
    await expect.poll(() => readers.count.now).toBe(2)
    person = ADA
    expect((await open()).response.status).toBe(200)
    expect(() => streams.refuseAtLimit(ADA)).toThrow(/2 event streams/)
  })

  test('a stream that ended does not count', async () => {
    const readers = counter()
    const streams = createEventStreams({ readers, findCaller: async () => ADA })
    const { url } = await serve(() =>
      streams.answer(ADA, async function* () {
        yield eventOf(1)
      }),
    )
    expect(await (await fetch(url)).text()).toContain('id: 1')
    expect(readers.count.now).toBe(0)
  })

  test('[A2] a revoked token loses its streams, busy or idle; other tokens keep theirs', async () => {
    const readers = counter()
    const known = new Map([ADA, BEN].map((caller) => [caller.tokenHash.toString('hex'), caller]))
    let asked = 0
    const streams = createEventStreams({
      readers,
      recheckMs: 50,
      findCaller: async (hash) => {
        asked += 1
        if (asked === 1) throw new PlatformError('database_unavailable')
        return known.get(hash.toString('hex'))
      },
    })
    const busy = createSource()
    const chatter = setInterval(() => busy.give(eventOf(1)), 5)
    closing.push(() => clearInterval(chatter))
    const answers = [
      () => streams.answer(ADA, createSource().read),
      () => streams.answer(ADA, busy.read),
      () => streams.answer(BEN, createSource().read),
    ]
    const { url } = await serve(() => answers.shift()?.() ?? new Response())
    const [quiet, talkative, ofBen] = [await fetch(url), await fetch(url), await fetch(url)]
    // Two tokens, and the first question went unanswered.
    await expect.poll(() => asked).toBeGreaterThan(4)
    expect(readers.count.now).toBe(3)
    known.delete(ADA.tokenHash.toString('hex'))
    expect(await quiet.text()).toBe('retry: 1000\n\n')
    expect(await talkative.text()).toContain('id: 1')
    expect(readers.count.now).toBe(1)
    const before = asked
    await expect.poll(() => asked).toBeGreaterThan(before + 1)
    expect(readers.count.now).toBe(1)
    await ofBen.body?.cancel()
  })

  test('[A3] a stream ends when its session access ends; others of the same token continue', async () => {
    const readers = counter()
    let isKnown = false
    let asked = 0
    const streams = createEventStreams({ readers, recheckMs: 20, findCaller: async () => ADA })
    const answers = [
      () =>
        streams.answer(ADA, createSource().read, async () => {
          asked += 1
          if (!isKnown) throw new PlatformError('database_unavailable')
          return false
        }),
      () => streams.answer(ADA, createSource().read),
    ]
    const { url } = await serve(() => answers.shift()?.() ?? new Response())
    const [theirs, other] = [await fetch(url), await fetch(url)]
    await expect.poll(() => asked).toBeGreaterThan(1)
    expect(readers.count.now).toBe(2)
    isKnown = true
    expect(await theirs.text()).toBe('retry: 1000\n\n')
    expect(readers.count.now).toBe(1)
    await other.body?.cancel()
  })

  test('[A2] a token with a new role loses the streams that it opened before', async () => {
    const readers = counter()
    let role: Entrant['role'] = 'admin'
    const streams = createEventStreams({
      readers,
      recheckMs: 20,
      findCaller: async () => ({ ...ADA, role }),
    })
    const { url } = await serve(() => streams.answer({ ...ADA, role: 'admin' }, createSource().read))
    const response = await fetch(url)
    role = 'viewer'
    expect(await response.text()).toBe('retry: 1000\n\n')
    expect(readers.count.now).toBe(0)
  })
})

test('[A2] over the API: a stream ends soon after its token is revoked, and cannot be opened again', async () => {
  let isRevoked = false
  const api = await testApi(createScriptedModel([]), {
    findCaller: async () => (isRevoked ? undefined : entrant('per_ada')),
  })
  closing.push(() => api.close())
  const { sessionId } = SessionView.parse(await (await api.call('POST', '/v1/sessions', { body: {} })).json())
  const response = await api.call('GET', `/v1/sessions/${sessionId}/events`)
  isRevoked = true
  expect((await framesOf(response)).map(({ type }) => type)).toEqual(['session:started'])
  expect((await api.call('GET', `/v1/sessions/${sessionId}/events`)).status).toBe(401)
}, 15_000)

test('[S6] over the API: HEAD opens no stream; a reader that leaves is removed', async () => {
  const api = await testApi(createScriptedModel([createAnswerScript('Good day to you.')]))
  closing.push(() => api.close())
  const { sessionId } = SessionView.parse(await (await api.call('POST', '/v1/sessions', { body: {} })).json())
  const path = `/v1/sessions/${sessionId}/events`
  const readers = async () => (await api.services.metrics.readers.get()).values[0]?.value
  const head = await api.call('HEAD', path)
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'text/event-stream',
    '',
  ])
  expect(await readers()).toBe(0)
  const turn = await api.call('POST', `/v1/sessions/${sessionId}/messages`, {
    body: { text: 'Hello' },
    headers: { accept: 'text/event-stream' },
  })
  expect((await framesOf(turn)).at(-1)?.type).toBe('session:turn_completed')
  expect(await readers()).toBe(0)
  const reader = (await api.call('GET', path)).body?.getReader()
  await reader?.read()
  expect(await readers()).toBe(1)
  await reader?.cancel()
  await expect.poll(readers).toBe(0)
})

/** A reader by the rules that the API's description states, and nothing more. */
function plainReader() {
  let seen = 0
  let said: { type: string; stepId: string; from: number; text: string }[] = []
  return {
    seen: () => seen,
    said: (type: string) =>
      said
        .filter((one) => one.type === type)
        .map(({ text }) => text)
        .join(''),
    take(event: SessionEvent) {
      if (event.sequenceNumber <= seen) return
      const from = event.fromSequence ?? event.sequenceNumber
      expect(from).toBeLessThanOrEqual(seen + 1)
      seen = event.sequenceNumber
      if (event.type !== 'agent:token' && event.type !== 'agent:reasoning') return
      const { type, stepId } = event
      if (event.fromSequence !== undefined)
        said = said.filter((one) => one.stepId !== stepId || one.from < from)
      said.push({ type, stepId, from, text: type === 'agent:token' ? event.token : event.text })
    },
  }
}

const spoken = fc.record({
  type: fc.constantFrom('text' as const, 'reasoning' as const),
  text: fc.string({ minLength: 1, maxLength: 4 }),
  /** The reader disconnects here, having read this many of the pieces that it has not seen; or stays away. */
  reads: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
})

test('[S6] a reader that reconnects anywhere in a step gets the complete text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(spoken, { minLength: 1, maxLength: 12 }), async (pieces) => {
      let release: (() => void) | undefined
      let reached: (() => void) | undefined
      const api = await testApi(
        createScriptedModel([
          async function* () {
            for (const { type, text } of pieces) {
              const released = new Promise<void>((resolve) => void (release = resolve))
              reached?.()
              await released
              yield { type, text }
            }
            yield { type: 'text', text: 'End.' }
          },
        ]),
      )
      const nextPiece = () => new Promise<void>((resolve) => void (reached = resolve))
      try {
        const started = await api.call('POST', '/v1/sessions', { body: { channel: 'text' } })
        const { sessionId } = (await started.json()) as { sessionId: string }
        const reader = plainReader()
        const read = async (isWanted: (event: SessionEvent) => boolean) => {
          const headers = { 'last-event-id': String(reader.seen()) }
          const response = await api.call('GET', `/v1/sessions/${sessionId}/events`, { headers })
          for (const { event } of await framesOf(response, isWanted)) reader.take(event)
        }
        let atPiece = nextPiece()
        await api.call('POST', `/v1/sessions/${sessionId}/messages`, { body: { text: 'Speak' } })
        for (const [index, { reads }] of pieces.entries()) {
          await atPiece
          const upTo = Math.min(2 + index, reader.seen() + (reads ?? 0))
          if (upTo > reader.seen()) await read(({ sequenceNumber }) => sequenceNumber >= upTo)
          atPiece = nextPiece()
          release?.()
        }
        await read(({ type }) => type === 'session:turn_completed')
        const all = (wanted: string) =>
          pieces.flatMap(({ type, text }) => (type === wanted ? [text] : [])).join('')
        expect(reader.said('agent:token')).toBe(`${all('text')}End.`)
        expect(reader.said('agent:reasoning')).toBe(all('reasoning'))
      } finally {
        await api.close()
      }
    }),
    { numRuns: 40 },
  )
})
