import { expect, test } from 'vitest'
import { type Database } from '../open-database.ts'
import { ids } from '../sessions/testing/turns.ts'
import { useKnowledgeBase } from '../knowledge/testing/knowledge-base.ts'

const { database } = await useKnowledgeBase()

test.each<[string, (sessions: Database['sessions']) => Promise<unknown>]>([
  [
    'a day that no month has',
    (sessions) => sessions.list({ limit: 1, cursor: '2026-02-30T00:00:00.000Z ses_a' }),
  ],
  [
    'a year that never was',
    (sessions) => sessions.list({ limit: 1, cursor: '0000-01-01T00:00:00.000Z ses_a' }),
  ],
  [
    'a number too high for a message',
    (sessions) => sessions.readMessages(ids.sessionId(), { after: 2 ** 31, limit: 1 }),
  ],
  [
    'a number too high for an event',
    (sessions) => sessions.readEvents(ids.sessionId(), { after: 2 ** 53, limit: 1 }),
  ],
])('%s is a validation error', async (_, ask) => {
  await expect(ask(database.sessions)).rejects.toMatchObject({ code: 'validation' })
})
