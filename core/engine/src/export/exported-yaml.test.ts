import { expect, test } from 'vitest'
import { newSession } from '../testing/fixtures.ts'
import { memorySessionStore } from '../memory/memory-session-store.ts'
import { exportedYaml } from './exported-yaml.ts'
import { answers, asks, sessionOf, transcript } from './transcripts.fixture.ts'

const SESSION = sessionOf()

async function storeOf(messages: ReturnType<typeof transcript>) {
  const store = memorySessionStore()
  const [session, started] = newSession(SESSION.id, SESSION.createdAt, { messageCount: messages.length })
  await store.create(session, started, messages)
  return store
}

test('[S14] what is said while a session is read is left for the next export', async () => {
  const before = transcript(asks('Hi'), answers('Hello'))
  const after = transcript(asks('Hi'), answers('Hello'), asks('More?'), answers('More.'))
  const [early, late] = await Promise.all([storeOf(before), storeOf(after)])
  const racing: Parameters<typeof exportedYaml>[0] = {
    find: (sessionId) => early.find(sessionId),
    readMessages: (sessionId, range) => late.readMessages(sessionId, range),
  }
  expect(await exportedYaml(racing, SESSION.id)).toEqual(await exportedYaml(early, SESSION.id))
  expect((await exportedYaml(late, SESSION.id)).workflow.nodes).toHaveLength(4)
})

test('[S14] a long session is read in pages, none of which is too large', async () => {
  const messages = transcript(
    ...Array.from({ length: 30 }, (_, n) => [asks(`${n}`), answers('x'.repeat(1_000_000))]).flat(),
  )
  const store = await storeOf(messages)
  const pages: number[] = []
  const { workflow } = await exportedYaml(
    {
      find: (sessionId) => store.find(sessionId),
      readMessages: async (sessionId, range) => {
        const page = await store.readMessages(sessionId, range)
        pages.push(page.length)
        return page
      },
    },
    SESSION.id,
  )
  expect(workflow.nodes).toHaveLength(32)
  expect(Math.max(...pages)).toBeLessThan(12)
})

test('a session that is not there is told by its id', async () => {
  await expect(exportedYaml(memorySessionStore(), SESSION.id)).rejects.toMatchObject({
    code: 'session_not_found',
    detail: { sessionId: SESSION.id },
  })
})
