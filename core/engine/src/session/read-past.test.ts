import type { SessionMessage } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyTranscript } from '../export/transcripts.fixture.ts'
import { memorySessionStore } from '../memory/memory-session-store.ts'
import { newSession, testIds } from '../testing/fixtures.ts'
import { readPast } from './read-past.ts'
import { reconstructSessionState, standingOf } from './reconstruct-session-state.ts'

const ids = testIds()
const AT = '2026-03-04T05:06:07.000Z'

/** Some of the system's messages are markers that leave out a part of what came before them. */
const withMarkers = (messages: readonly SessionMessage[], parts: readonly number[]) =>
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
    return withMarkers(all.slice(0, 800), parts)
  })

test('[S4] [S17] a past is the same whether it is read whole, in pages or after what is known', async () => {
  await fc.assert(
    fc.asyncProperty(anyPast, async (given) => {
      const store = memorySessionStore()
      const sessionId = ids.sessionId()
      const messages = given.map((message, index) => ({
        ...message,
        id: ids.messageId(),
        sessionId,
        sequenceNumber: index + 1,
      }))
      await store.create(...newSession(sessionId, AT, { messageCount: messages.length }), messages)
      const host = { store }
      const whole = await readPast(sessionId, messages.length, host)

      const marker = messages.findLast((message) => message.marker)?.marker
      const from = marker && 'uptoSequence' in marker ? marker.uptoSequence : 0
      const turns = reconstructSessionState(messages.filter(({ sequenceNumber }) => sequenceNumber > from))
      const expected = turns.flatMap((turn) =>
        turn.outcome === 'completed' ? standingOf(turn.messages) : turn.messages.slice(0, 1),
      )
      expect(whole.past.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
        expected.map(({ sequenceNumber }) => sequenceNumber),
      )

      for (const turn of reconstructSessionState(messages).slice(-3)) {
        const lastMessage = (turn.messages[0]?.sequenceNumber ?? 1) - 1
        const known = { ...(await readPast(sessionId, lastMessage, host)), lastMessage }
        expect(await readPast(sessionId, messages.length, host, { known })).toEqual(whole)
      }
    }),
    { numRuns: 20 },
  )
})
