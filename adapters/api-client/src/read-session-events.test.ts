import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { SessionEvent } from '@parley/contracts'
import { hasEnded, follow, open, POLLING, answerTexts } from './follow.fixture.ts'
import { createSseParser } from './read-session-events.ts'

test('[S6] a reader with many disconnects gets the same events as one without', async () => {
  const { api, client, model } = await open()
  const { sessionId } = await client.sessions.start()
  const reader = follow(client, sessionId)
  await client.sessions.send({ sessionId, text: 'Count', idempotencyKey: 'a' })
  const numbers = Array.from({ length: 120 }, (_, index) => `${index} `)
  for (const [index, text] of numbers.entries()) {
    model.say({ type: index % 40 < 5 ? 'reasoning' : 'text', text })
    if (index % 7 === 0) api.cutStreams()
    if (index % 10 === 0) await vi.waitUntil(() => answerTexts(reader.turns())[0]?.includes(text), POLLING)
  }
  api.cutStreams()
  model.finish()
  await expect.poll(() => hasEnded(reader.turns()), POLLING).toBe(true)
  const calm = follow(client, sessionId)
  await expect.poll(() => hasEnded(calm.turns()), POLLING).toBe(true)
  expect(reader.turns()).toEqual(calm.turns())
  expect(answerTexts(reader.turns())).toEqual([numbers.join('')])
  expect(reader.states).toContain('reconnecting')
})

test('[S6] a missing sequence number is requested again', async () => {
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
  await expect.poll(() => hasEnded(reader.turns()), POLLING).toBe(true)
  expect(lossy).toBe(false)
  expect(answerTexts(reader.turns())).toEqual(['One. Two.'])
})

test('[S6] an unknown event type advances the position and is not passed on', async () => {
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
  await expect.poll(() => hasEnded(reader.turns()), POLLING).toBe(true)
  expect(reader.events.map(({ type }) => type)).toEqual([
    'session:started',
    'session:turn_started',
    'agent:token',
    'session:turn_completed',
  ])
  expect(reader.states).toEqual(['live'])
})

test('[S6] a silent stream is reopened', async () => {
  let mute = true
  const { client } = await open({
    silenceMs: 500,
    intercept(request, response) {
      if (!mute || !request.url?.endsWith('/events')) return false
      mute = false
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      return true
    },
  })
  const { sessionId } = await client.sessions.start()
  const reader = follow(client, sessionId)
  await expect.poll(() => reader.events, POLLING).toHaveLength(1)
  expect(reader.states.slice(0, 3)).toEqual(['live', 'reconnecting', 'live'])
})

test('[S6] the reader waits for a server that is down', async () => {
  let refusals = 3
  const { client } = await open({
    intercept: (request, response) =>
      request.url?.endsWith('/events') === true && refusals-- > 0 && Boolean(response.writeHead(503).end()),
  })
  const { sessionId } = await client.sessions.start()
  const reader = follow(client, sessionId)
  await expect.poll(() => reader.events, POLLING).toHaveLength(1)
  expect(reader.states).toEqual(['reconnecting', 'reconnecting', 'reconnecting', 'live'])
})

test('[S6] an aborted reader ends', async () => {
  const { client } = await open()
  const { sessionId } = await client.sessions.start()
  const reader = follow(client, sessionId)
  await expect.poll(() => reader.events, POLLING).toHaveLength(1)
  reader.leave()
  await expect(reader.reading).resolves.toBeUndefined()
})

test.each<[string, string, readonly string[]]>([
  ['an event with its id and type', 'id: 7\nevent: agent:token\ndata: {"a":1}\n\n', ['{"a":1}']],
  ['data without the space', 'data:x\n\n', ['x']],
  ['only the first space is syntax', 'data:  x\n\n', [' x']],
  ['data on several lines', 'data: a\ndata: b\n\n', ['a\nb']],
  ['a comment is ignored', ': heartbeat\n\n', []],
  ['an event without data is ignored', 'id: 7\n\ndata: x\n\n', ['x']],
  ['an event is complete at its empty line', 'data: a\n\ndata: b\n', ['a']],
  ['other line endings', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c']],
])('%s', (_, text, expected) => {
  expect(createSseParser().push(text)).toEqual(expected)
})

const ending = fc.constantFrom('\n', '\r\n')
const streamed = fc.array(fc.tuple(fc.string({ unit: fc.constantFrom('a', ':', ' ', 'é') }), ending), {
  maxLength: 8,
})

test('[S6] the events do not depend on how the text is split into chunks', () => {
  fc.assert(
    fc.property(streamed, fc.array(fc.nat(), { maxLength: 12 }), (events, cuts) => {
      const text = events.map(([data, end]) => `: hm${end}data: ${data}${end}${end}`).join('')
      const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length]
      const parser = createSseParser()
      const pieces = places.slice(1).map((to, index) => text.slice(places[index], to))
      expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(events.map(([data]) => data))
    }),
  )
})
