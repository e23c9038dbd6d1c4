import { stat } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { SessionId } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import { createBatch, createStoredEvent, createTestSession } from '@parley/engine/testing'
import { openHistory } from '../index.ts'
import { KEY, createTestHome, openRaw } from '../testing/fresh-home.ts'
import { createAnswer, createNewTurn } from '../testing/turns.ts'
import { wipeRemoved } from './sqlite-session-store.ts'

const AT = '2026-03-04T05:06:07.000Z'
const SIZES = [100, 500, 5_000]

test('[S16] nothing of a removed session is left in any page of the file, nor in its log', async () => {
  const { store, path, close } = await openHistory({ home: await createTestHome(), key: KEY })
  onTestFinished(close)
  const sessions = await fillHistory(store)
  const before = readPages(path)
  const removed = sessions.filter((_, index) => index % 3 === 0)
  for (const id of removed) await store.remove(id)
  expect((await stat(`${path}-wal`)).size).toBe(0)
  const after = readPages(path)
  for (const id of sessions) {
    const words = listWords(id)
    expect(words.filter((word) => before.includes(word))).toEqual(words)
    expect(words.filter((word) => after.includes(word))).toEqual(removed.includes(id) ? [] : words)
  }
})

test('[S16] removing a session waits until others have finished reading', async () => {
  const { store, path, close } = await openHistory({ home: await createTestHome(), key: KEY })
  onTestFinished(close)
  const [id = '' as SessionId] = await fillHistory(store, { sessions: 2, turns: 10 })
  const reader = openRaw(path)
  reader.exec('begin')
  expect(reader.prepare('select count(*) from session_messages').get()).toBeDefined()
  const removing = store.remove(id).then(() => 'removed')
  const waiting = new Promise((resolve) => setTimeout(resolve, 100, 'waiting'))
  expect(await Promise.race([removing, waiting])).toBe('waiting')
  reader.close()
  expect(await removing).toBe('removed')
  expect((await stat(`${path}-wal`)).size).toBe(0)
})

test('[S16] text of a removed session that could not be wiped is reported', async () => {
  const { store, path, close } = await openHistory({ home: await createTestHome(), key: KEY })
  onTestFinished(close)
  await fillHistory(store, { sessions: 2, turns: 10 })
  const [reader, writer] = [openRaw(path), openRaw(path)]
  reader.exec('begin')
  expect(reader.prepare('select count(*) from session_messages').get()).toBeDefined()
  const failure: Error = await wipeRemoved(writer, 50).catch((error) => error)
  expect(failure).toMatchObject({ code: 'history_unwritable' })
  expect(failure.message).toContain('another program is reading it')
  reader.close()
  writer.close()
})

/** Sessions with interleaved turns, as over many days, which makes SQLite move rows between pages. */
async function fillHistory(
  store: SessionStore,
  { sessions: count = 40, turns = 300 } = {},
): Promise<SessionId[]> {
  const next = numbers()
  const sessions = Array.from({ length: count }, () => `ses_${next().toString(36)}` as SessionId)
  for (const id of sessions) await store.create(...createTestSession(id, AT, { title: `title${id}` }))
  for (let turn = 0; turn < turns; turn += 1) {
    const id = sessions[turn < count ? turn : next() % count] ?? ('' as SessionId)
    const times = Math.ceil((SIZES[next() % SIZES.length] ?? 0) / 20)
    const lease = await store.beginTurn(createNewTurn(id, `asked${id} `.repeat(times)))
    const told = createStoredEvent(lease.eventSequence + 1, {
      body: { type: 'agent:token', model: `told${id}` },
    })
    const said = createAnswer(id, lease.lastMessageNumber + 1, `said${id} `.repeat(times))
    await store.append(lease, createBatch({ messages: [said], events: [told], lease: 'ended' }))
  }
  return sessions
}

const listWords = (id: SessionId) => [`title${id}`, `asked${id}`, `said${id}`, `told${id}`, id]

/** Every page as SQLite sees it, used or not. */
function readPages(path: string): Buffer {
  const raw = openRaw(path)
  const pages = raw.serialize()
  raw.close()
  return pages
}

/** The same numbers in every run, in no order. */
function numbers() {
  let last = 12_345
  return () => {
    last = (last * 48_271) % 2_147_483_647
    return last
  }
}
