import type { MessageId, SessionId, SessionMessage } from '@parley/contracts'
import { createMemorySessionStore, createTestSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { readEarlierPrompts, listPrompts } from './earlier-prompts.ts'

const message = (
  sessionId: SessionId,
  number: number,
  text: string,
  role: SessionMessage['role'] = 'user',
) => ({
  id: `msg_${sessionId}_${number}` as MessageId,
  sessionId,
  sequenceNumber: number,
  role,
  content: [{ type: 'text' as const, text }],
  timestamp: '2026-11-15T14:03:00.000Z',
})

async function storeWith(sessions: Readonly<Record<string, readonly string[]>>) {
  const store = createMemorySessionStore()
  for (const [index, [name, texts]] of Object.entries(sessions).entries()) {
    const id = `ses_${name}` as SessionId
    const at = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString()
    const past = texts.map((text, place) =>
      message(id, place + 1, text, place % 2 === 0 ? 'user' : 'assistant'),
    )
    const [session, started] = createTestSession(id, at, { messageCount: past.length })
    await store.create(session, started, past)
  }
  return store
}

test('messages of other sessions are listed, oldest first, without repetitions', async () => {
  const store = await storeWith({ a: ['one', 'Yes.', 'two'], b: ['two', 'No.', 'three'], c: ['mine'] })
  expect(await readEarlierPrompts(store, () => 'ses_c' as SessionId)).toEqual(['one', 'two', 'three'])
})

test.each([
  ['an attached file is left out', 'Read\n\n<file path="a">\nx\n</file>', ['Read']],
  ['a message that starts with a space is not offered', ' quiet', []],
  ['a key is not offered', `use sk-ant-${'a1'.repeat(12)} please`, []],
  ['a password is not offered', 'password: hunter2000', []],
  ['a token is not offered', `ghp_${'b2'.repeat(15)}`, []],
  [
    'a question about tokens is offered',
    'what is a token, and an api key?',
    ['what is a token, and an api key?'],
  ],
])('%s', (_, text, expected) => {
  expect(listPrompts([message('ses_a' as SessionId, 1, text)])).toEqual(expected)
})
