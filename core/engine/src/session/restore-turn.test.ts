import type { SessionId, SessionMessage } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createMemorySessionStore } from '../memory/memory-session-store.ts'
import { createTestSession, createTestIds } from '../testing/fixtures.ts'
import { restoreTurn } from './restore-turn.ts'

const ids = createTestIds()
const AT = '2026-03-04T05:06:07.000Z'
type NewMessage = Pick<SessionMessage, 'role'> & Partial<Pick<SessionMessage, 'cutShort' | 'marker'>>

async function storeAndRestore(given: readonly NewMessage[], limit: number) {
  const store = createMemorySessionStore()
  const sessionId: SessionId = ids.sessionId()
  const messages = given.map((message, index) => ({
    ...message,
    id: ids.messageId(),
    content: [{ type: 'text' as const, text: `${index + 1}` }],
    sessionId,
    sequenceNumber: index + 1,
    timestamp: AT,
  }))
  await store.create(...createTestSession(sessionId, AT, { messageCount: messages.length }), messages)
  let reads = 0
  const readTail: typeof store.readTail = (...asked) => {
    reads += 1
    return store.readTail(...asked)
  }
  const turn = await restoreTurn({ ...store, readTail }, sessionId, limit)
  return { turn, reads }
}

const createAnswers = (count: number): readonly NewMessage[] =>
  Array.from({ length: count }, () => ({ role: 'assistant', cutShort: 'failed' }))

test.each<[string, readonly NewMessage[], number | undefined, number]>([
  ['nothing was said', [], undefined, 1],
  ['the question is near', [{ role: 'user' }, ...createAnswers(1)], 1, 1],
  ['the question is far', [{ role: 'user' }, ...createAnswers(9)], 1, 3],
  ['there is no question, as after a greeting', createAnswers(3), undefined, 2],
  ['there is no question in as many messages as are read', createAnswers(2), undefined, 2],
])('[S4] the last turn is found if %s', async (_, given, question, reads) => {
  const found = await storeAndRestore(given, 2)
  expect([found.turn?.question.sequenceNumber, found.reads]).toEqual([question, reads])
})

test('[S4] an unanswered turn is restored without its failed steps, an answered one with all steps', async () => {
  const steps: readonly NewMessage[] = [{ role: 'user' }, { role: 'assistant', cutShort: 'cancelled' }]
  const answered = (await storeAndRestore(steps, 9)).turn
  expect([answered?.isAnswered, answered?.transcript.length]).toEqual([true, 1])
  const open = (await storeAndRestore([...steps, ...createAnswers(1)], 9)).turn
  expect([open?.isAnswered, open?.transcript.length, open?.later.length]).toEqual([false, 0, 2])
})
