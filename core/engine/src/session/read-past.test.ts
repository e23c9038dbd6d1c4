import type { SessionMessage } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyTranscript } from '../export/transcripts.fixture.ts'
import { createMemorySessionStore } from '../memory/memory-session-store.ts'
import { createTestSession, createTestIds } from '../testing/fixtures.ts'
import { readPast, readPastTurns } from './read-past.ts'
import { reconstructSessionState, removeFailedSteps } from './reconstruct-session-state.ts'

const ids = createTestIds()
const AT = '2026-03-04T05:06:07.000Z'

/** Some of the system's messages are markers that leave out a part of what came before them. */
const insertMarkers = (messages: readonly SessionMessage[], parts: readonly number[]) =>
  messages.map((message, index): SessionMessage => {
    const part = parts[index]
    if (message.role !== 'system' || part === undefined) return message
    return { ...message, marker: { kind: 'compacted', uptoSequence: Math.floor(index * part) } }
  })

/** Long enough for several pages. */
const anyPast = fc
  .tuple(
    fc.array(anyTranscript, { minLength: 1, maxLength: 6 }),
    fc.nat({ max: 60 }),
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 400 }),
  )
  .map(([transcripts, times, parts]) => {
    const once = transcripts.flat()
    const all = Array.from({ length: times + 1 }, () => once).flat()
    return insertMarkers(all.slice(0, 800), parts)
  })

test('[S4] [S17] a past is the same whether it is read whole, in pages or after a known part', async () => {
  await fc.assert(
    fc.asyncProperty(anyPast, async (given) => {
      const store = createMemorySessionStore()
      const sessionId = ids.sessionId()
      const messages = given.map((message, index) => ({
        ...message,
        id: ids.messageId(),
        sessionId,
        sequenceNumber: index + 1,
      }))
      await store.create(...createTestSession(sessionId, AT, { messageCount: messages.length }), messages)
      const host = { store }
      const whole = await readPast(sessionId, messages.length, host)

      const marker = messages.findLast((message) => message.marker)?.marker
      const from = marker && 'uptoSequence' in marker ? marker.uptoSequence : 0
      const turns = reconstructSessionState(messages.filter(({ sequenceNumber }) => sequenceNumber > from))
      const expected = turns.flatMap((turn) =>
        turn.outcome === 'completed' ? removeFailedSteps(turn.messages) : turn.messages.slice(0, 1),
      )
      expect(whole.past.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
        expected.map(({ sequenceNumber }) => sequenceNumber),
      )

      for (const turn of reconstructSessionState(messages).slice(-3)) {
        const lastMessageNumber = (turn.messages[0]?.sequenceNumber ?? 1) - 1
        const known = { ...(await readPast(sessionId, lastMessageNumber, host)), lastMessageNumber }
        expect(await readPast(sessionId, messages.length, host, { known })).toEqual(whole)
      }
    }),
    { numRuns: 20 },
  )
})

const createText = (said: string) => [{ type: 'text' as const, text: said }]
type NewMessage = Pick<SessionMessage, 'role' | 'content'> &
  Partial<Pick<SessionMessage, 'marker' | 'cutShort'>>
const createQuestion = (said: string): NewMessage => ({ role: 'user', content: createText(said) })
const createAnswer = (said: string): NewMessage => ({ role: 'assistant', content: createText(said) })
const createNote = (said: string): NewMessage => ({
  role: 'system',
  content: createText(said),
  marker: { kind: 'rolled_back' },
})
const createMarker = (uptoSequence: number, said: string): NewMessage => ({
  role: 'system',
  content: createText(said),
  marker: { kind: 'compacted', uptoSequence },
})

async function storeMessages(given: readonly NewMessage[]) {
  const store = createMemorySessionStore()
  const sessionId = ids.sessionId()
  const messages = given.map((message, index) => ({
    ...message,
    id: ids.messageId(),
    sessionId,
    sequenceNumber: index + 1,
    timestamp: AT,
  }))
  await store.create(...createTestSession(sessionId, AT, { messageCount: messages.length }), messages)
  return { store, sessionId, messages }
}

const listTexts = ({ past }: Awaited<ReturnType<typeof readPast>>) =>
  past.map(({ content: [part] }) => (part?.type === 'text' ? part.text.slice(0, 20) : ''))

test.each<[string, readonly NewMessage[], readonly string[], string | undefined]>([
  ['all of it', [createQuestion('1'), createAnswer('2')], ['1', '2'], undefined],
  [
    'the messages after a marker, and its summary',
    [createQuestion('1'), createAnswer('2'), createMarker(2, 'sum'), createQuestion('4'), createAnswer('5')],
    ['4', '5'],
    'sum',
  ],
  [
    'the messages that a marker keeps',
    [createQuestion('1'), createAnswer('2'), createQuestion('3'), createAnswer('4'), createMarker(2, 'sum')],
    ['3', '4'],
    'sum',
  ],
  [
    'notes of before a fork, in their places',
    [createQuestion('1'), createAnswer('2'), createNote('3'), createQuestion('4'), createAnswer('5')],
    ['1', '2', '3', '4', '5'],
    undefined,
  ],
  [
    'a note that comes first',
    [createNote('1'), createQuestion('2'), createAnswer('3')],
    ['1', '2', '3'],
    undefined,
  ],
])('[S4] [S17] a model gets %s', async (_, given, expected, summary) => {
  const { store, sessionId, messages } = await storeMessages(given)
  const found = await readPast(sessionId, messages.length, { store })
  expect(listTexts(found)).toEqual(expected)
  expect(found.summary).toBe(summary)
})

test('[S17] the known part is not read again, unless the next messages belong to it or a marker omits it', async () => {
  const known = {
    past: [{ ...createQuestion('known'), sequenceNumber: 1 }],
    summary: 'before',
    lastMessageNumber: 2,
  }
  const upTo = async (...given: readonly NewMessage[]) => {
    const { store, sessionId, messages } = await storeMessages(given)
    return readPast(sessionId, messages.length, { store }, { known })
  }
  const [first, second] = [createQuestion('1'), createAnswer('2')]
  const nothingNew = await upTo(first, second)
  expect([listTexts(nothingNew), nothingNew.summary]).toEqual([['known'], 'before'])
  const more = await upTo(first, second, createQuestion('3'), createAnswer('4'))
  expect([listTexts(more), more.summary]).toEqual([['known', '3', '4'], 'before'])
  const sameTurn = await upTo(first, second, createAnswer('3'))
  expect([listTexts(sameTurn), sameTurn.summary]).toEqual([['1', '2', '3'], undefined])
  const markedSince = await upTo(
    first,
    second,
    createMarker(2, 'now'),
    createQuestion('4'),
    createAnswer('5'),
  )
  expect([listTexts(markedSince), markedSince.summary]).toEqual([['4', '5'], 'now'])
})

test('[S4] turns come in the order of their messages, notes among them', async () => {
  const { store, messages } = await storeMessages([
    createNote('1'),
    createQuestion('2'),
    createAnswer('3'),
    createNote('4'),
    createQuestion('5'),
  ])
  const turns = await readPastTurns(messages, { store })
  expect(
    turns.map((turn) => [
      turn.kind,
      (turn.kind === 'completed' ? turn.messages[0] : turn.note)?.sequenceNumber,
    ]),
  ).toEqual([
    ['rolled-back', 1],
    ['completed', 2],
    ['rolled-back', 4],
    ['rolled-back', 5],
  ])
})
