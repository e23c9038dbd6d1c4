import { readFile, truncate, writeFile } from 'node:fs/promises'
import type { SessionStore } from '@parley/engine'
import { expect, test } from 'vitest'
import { openHistory } from '../index.ts'
import { createTestHome, KEY } from '../testing/fresh-home.ts'
import { createBatch } from '@parley/engine/testing'
import { createAnswer, createNewTurn, startSession } from '../testing/turns.ts'

const PAGE = 4_096

async function createFilledHistory() {
  const home = await createTestHome()
  const { store, path, close } = await openHistory({ home, key: KEY })
  for (let n = 1; n <= 20; n += 1) {
    const id = await startSession(store)
    const lease = await store.beginTurn(createNewTurn(id, 'x'.repeat(n * 200), { idempotencyKey: 'once' }))
    await store.append(
      lease,
      createBatch({ messages: [createAnswer(id, 2, 'y'.repeat(n * 300))], lease: 'ended' }),
    )
  }
  close()
  return { home, path, bytes: await readFile(path) }
}

async function readEverything(store: SessionStore): Promise<number> {
  const { items } = await store.list({ limit: 1_000 })
  const all = { after: 0, limit: 1_000 }
  for (const { session } of items) {
    await store.list({ ownerId: session.ownerId, limit: 1_000 })
    await store.readMessages(session.id, all)
    await store.readEvents(session.id, all)
    await store.findRepeatedTurn(session.id, 'once')
  }
  return items.length
}

async function openAndRead(home: string): Promise<number> {
  const { store, verify, close } = await openHistory({ home, key: KEY })
  try {
    const sessions = await readEverything(store)
    verify()
    return sessions
  } finally {
    close()
  }
}

test('[S16] one wrong bit in any page is reported when the page is read, and the file stays unchanged', async () => {
  const { home, path, bytes } = await createFilledHistory()
  expect(bytes.length / PAGE).toBeGreaterThan(30)
  expect(await openAndRead(home)).toBe(20)
  for (let page = 0; page < bytes.length / PAGE; page += 1) {
    const wrong = Buffer.from(bytes)
    const at = page * PAGE + ((page * 997) % PAGE)
    wrong[at] = (wrong[at] ?? 0) ^ (1 << (page % 8))
    await writeFile(path, wrong)
    const failure: Error = await openAndRead(home).catch((error) => error)
    expect(failure, `page ${page + 1}`).toMatchObject({ code: 'history_damaged' })
    expect(failure.message).toContain(path)
    expect((await readFile(path)).equals(wrong), `page ${page + 1}`).toBe(true)
  }
  await writeFile(path, bytes)
  expect(await openAndRead(home)).toBe(20)
})

test.each([0, 8, 16, 20, 24, 100, PAGE - 1])(
  '[S16] a wrong bit at byte %i of the file header does not count as a wrong key',
  async (at) => {
    const { home, path, bytes } = await createFilledHistory()
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(path, bytes)
    await expect(openAndRead(home)).rejects.toMatchObject({ code: 'history_damaged' })
  },
)

test.each([1, 15, 100, PAGE, 5 * PAGE, 5 * PAGE + 17])(
  '[S16] a file truncated to %i bytes is reported as damaged',
  async (length) => {
    const { home, path } = await createFilledHistory()
    await truncate(path, length)
    await expect(openAndRead(home)).rejects.toMatchObject({ code: 'history_damaged' })
  },
)
