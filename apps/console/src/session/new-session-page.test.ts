import type { ApiClient } from '@parley/api-client'
import type { SessionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createBrowserStorage } from '../app/browser-storage.ts'
import { readOutbox } from './outbox.ts'
import { startWithMessage } from './new-session-page.tsx'

const sessionId = 'ses_new' as SessionId

/** A server that accepts both requests, or fails at one of them. */
function startFakeHost(failing?: 'start' | 'send') {
  const asked: unknown[] = []
  const stored = new Map<string, string>()
  const answer = async (name: 'start' | 'send', body: unknown) => {
    asked.push([name, body])
    if (name === failing) throw new Error('The server is away.')
    return { sessionId }
  }
  const client = {
    sessions: {
      start: (body: unknown) => answer('start', body),
      send: (body: unknown) => answer('send', body),
    },
  } as unknown as ApiClient
  const storage = createBrowserStorage(
    () =>
      ({
        getItem: (name: string) => stored.get(name) ?? null,
        setItem: (name: string, value: string) => void stored.set(name, value),
        removeItem: (name: string) => void stored.delete(name),
      }) as unknown as Storage,
  )
  return {
    asked,
    storage,
    start: () => startWithMessage('Hello', { client, storage, createKey: () => 'key-1' }),
  }
}

test('a session starts with its first message', async () => {
  const { asked, start } = startFakeHost()
  expect(await start()).toBe(sessionId)
  expect(asked).toEqual([
    ['start', undefined],
    ['send', { sessionId, text: 'Hello', idempotencyKey: 'key-1' }],
  ])
})

test('a failed message waits in its session under its idempotency key', async () => {
  const { storage, start } = startFakeHost('send')
  expect(await start()).toBe(sessionId)
  expect(readOutbox(storage, sessionId)).toEqual([
    { key: 'key-1', text: 'Hello', afterTurn: 0, state: 'failed' },
  ])
})

test('a failed start leaves nothing behind', async () => {
  const { asked, storage, start } = startFakeHost('start')
  await expect(start()).rejects.toThrow('The server is away.')
  expect(asked).toHaveLength(1)
  expect(readOutbox(storage, sessionId)).toEqual([])
})
