import type { MessageId, SessionId, SessionMessage } from '@parley/contracts'
import { memorySessionStore, newSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { earlierPrompts, promptsIn } from './earlier-prompts.ts'

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
  const store = memorySessionStore()
  for (const [index, [name, texts]] of Object.entries(sessions).entries()) {
    const id = `ses_${name}` as SessionId
    const at = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString()
    const past = texts.map((text, place) =>
      message(id, place + 1, text, place % 2 === 0 ? 'user' : 'assistant'),
    )
    const [session, started] = newSession(id, at, { messageCount: past.length })
    await store.create(session, started, past)
  }
  return store
}

test('what was sent in other sessions, the latest last and repetitions once', async () => {
  const store = await storeWith({ a: ['one', 'Yes.', 'two'], b: ['two', 'No.', 'three'], c: ['mine'] })
  expect(await earlierPrompts(store, () => 'ses_c' as SessionId)).toEqual(['one', 'two', 'three'])
})

test.each([
  ['a file that came along is left out', 'Read\n\n<file path="a">\nx\n</file>', ['Read']],
  ['what begins with a space is not brought back', ' quiet', []],
  ['nor a key', `use sk-ant-${'a1'.repeat(12)} please`, []],
  ['nor a password', 'password: hunter2000', []],
  ['nor a token', `ghp_${'b2'.repeat(15)}`, []],
  ['talk of keys is only talk', 'what is a token, and an api key?', ['what is a token, and an api key?']],
])('%s', (_, text, expected) => {
  expect(promptsIn([message('ses_a' as SessionId, 1, text)])).toEqual(expected)
})
