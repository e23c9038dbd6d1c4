import type { CallId, SessionId, SessionMessage } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createTestSession } from '../testing/fixtures.ts'
import {
  createSessionCache,
  createSessionBase,
  addCachedTurn,
  createCachedSession,
  type CachedSession,
} from './session-cache.ts'

const [session] = createTestSession('ses_1' as SessionId, '2026-03-04T05:06:07.000Z')
const emptySession = createCachedSession(createSessionBase(session))
const createWithWeight = (weight: number): CachedSession => ({ ...emptySession, weight })
const [a, b, c] = ['ses_a', 'ses_b', 'ses_c'] as [SessionId, SessionId, SessionId]

const message = (sequenceNumber: number, given: Partial<SessionMessage>) =>
  ({ role: 'user', content: [], sequenceNumber, ...given }) as SessionMessage
const question = message(1, { content: [{ type: 'text', text: '12345' }] })
const answerMessage = message(2, { role: 'assistant', content: [{ type: 'text', text: '1234567' }] })

test('the oldest session is dropped first when there are too many', () => {
  const sessions = createSessionCache(100)
  sessions.remember(a, createWithWeight(40))
  sessions.remember(b, createWithWeight(60))
  expect([a, b].map((id) => sessions.get(id)?.weight)).toEqual([40, 60])
  sessions.remember(a, createWithWeight(30))
  sessions.remember(c, createWithWeight(20))
  expect([a, b, c].map((id) => sessions.get(id)?.weight)).toEqual([30, undefined, 20])
  sessions.remember(b, createWithWeight(50))
  expect([a, b, c].map((id) => sessions.get(id)?.weight)).toEqual([30, 50, 20])
})

test('a dropped session frees its space once', () => {
  const sessions = createSessionCache(100)
  sessions.remember(a, createWithWeight(100))
  sessions.forget(a)
  sessions.forget(a)
  sessions.forget(b)
  sessions.remember(b, createWithWeight(100))
  expect(sessions.get(b)?.weight).toBe(100)
  sessions.remember(c, createWithWeight(1))
  expect([a, b, c].map((id) => sessions.get(id)?.weight)).toEqual([undefined, undefined, 1])
})

test('a session gains a turn that has an answer', () => {
  const grown = addCachedTurn(emptySession, [question, answerMessage])
  expect(grown).toMatchObject({ lastMessageNumber: 2, past: [question, answerMessage] })
  expect(grown?.weight).toBe(emptySession.weight + 200 + 200 + 5 + 200 + 200 + 7)
  expect(addCachedTurn(emptySession, [])).toBe(emptySession)
})

test('[S4] a session is unchanged after a turn without an answer, and is read again after a marker', () => {
  expect(addCachedTurn(emptySession, [question])).toBe(emptySession)
  const marker = message(3, { role: 'system', marker: { kind: 'trimmed', uptoSequence: 2 } })
  expect(addCachedTurn(emptySession, [question, answerMessage, marker])).toBeUndefined()
  expect(addCachedTurn(emptySession, [marker, question, answerMessage])).toBeUndefined()
})

test('the weight of a session is that of its content', () => {
  const call = { id: 'c' as CallId, name: 'look', input: {} }
  const outcome = { kind: 'ok', text: '123456789' } as const
  const content = [
    { type: 'reasoning', text: '123' },
    { type: 'tool_call', call },
    { type: 'tool_result', callId: call.id, outcome },
  ] as SessionMessage['content']
  const { weight } = createCachedSession(createSessionBase(session), 1, { past: [message(1, { content })] })
  expect(emptySession.weight).toBe(200 + 'Be brief.'.length)
  expect(weight).toBe(emptySession.weight + 200 + 200 + 3 + 200 + 200 + 9)
})
