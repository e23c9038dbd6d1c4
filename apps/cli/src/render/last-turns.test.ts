import type { MessageId, SessionId, SessionMessage } from '@parley/contracts'
import { createTestSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { renderLastTurns } from './transcript.ts'
import { createStyle } from './display.ts'

const AT = '2026-11-15T14:03:00.000Z'
const display = { style: createStyle(false), columns: 40, isTerminal: true }

function renderReturn(count: number, messageCount = count) {
  const [session] = createTestSession('ses_abcdefghijk' as SessionId, AT, { messageCount })
  const messages = Array.from({ length: count }, (_, index): SessionMessage => ({
    id: `msg_${index}` as MessageId,
    sessionId: session.id,
    sequenceNumber: messageCount - count + index + 1,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `Message ${index}` }],
    timestamp: AT,
  }))
  return { session, agent: { name: 'Helper', model: 'scripted' }, messages }
}

test('the last three turns and the number of earlier messages are shown', () => {
  const text = renderLastTurns(renderReturn(200, 10_000), display)
  expect(text).toMatch(/^\[9994 earlier messages: parley sessions show abcdefgh\]\n\nYou {2}/)
  expect(text.match(/^Message \d+$/gm)).toEqual([194, 195, 196, 197, 198, 199].map((n) => `Message ${n}`))
})

test('[S4] an open turn is marked, and the note is below it, in lines that fit', () => {
  const note = 'The last answer was interrupted, and your message is kept.'
  expect(renderLastTurns({ ...renderReturn(1), open: 'interrupted', note }, display)).toMatch(
    /Message 0\n\n\[interrupted before an answer\]\n\nThe last answer was interrupted, and\nyour message is kept\.\n\n$/,
  )
})

test('without messages only the note is shown', () => {
  expect(renderLastTurns({ ...renderReturn(0), note: 'New.' }, display)).toBe('New.\n\n')
  expect(renderLastTurns(renderReturn(0), display)).toBe('')
})
