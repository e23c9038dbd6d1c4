import { open, readFile, stat, writeFile } from 'node:fs/promises'
import Database from 'better-sqlite3-multiple-ciphers'
import { expect, test } from 'vitest'
import { type History, openHistory, rotateKey } from '../index.ts'
import { readAllFiles, createTestHome, KEY } from '../testing/fresh-home.ts'
import { createBatch, createStoredEvent } from '@parley/engine/testing'
import { createNewTurn, startSession } from '../testing/turns.ts'

const PAGE = 4_096
const OTHER_KEY = 'c3'.repeat(32)

async function createFilledHome(): Promise<{ home: string; path: string; pages: number }> {
  const home = await createTestHome()
  const { store, path, close } = await openHistory({ home, key: KEY })
  for (let n = 0; n < 20; n += 1)
    await store.beginTurn(createNewTurn(await startSession(store), 'x'.repeat(5_000)))
  close()
  return { home, path, pages: (await stat(path)).size / PAGE }
}

/** One wrong byte in each of them. */
async function damagePages(path: string, pages: readonly number[]): Promise<void> {
  const bytes = await readFile(path)
  for (const page of pages)
    bytes.writeUInt8(bytes.readUInt8((page - 1) * PAGE + 1_000) ^ 1, (page - 1) * PAGE + 1_000)
  const file = await open(path, 'r+')
  await file.write(bytes, 0, bytes.length, 0)
  await file.close()
}

const listPagesAfterFirst = (pages: number) => Array.from({ length: pages - 1 }, (_, index) => index + 2)

/** Makes this history forget the pages that it has read, as after a write of another process, and moves the log to the file. */
function moveLog(path: string): void {
  const other = new Database(path)
  other.pragma("cipher = 'chacha20'")
  other.pragma(`key = "x'${KEY}'"`)
  other.exec('create table other (x); drop table other')
  expect(other.pragma('wal_checkpoint(truncate)')).toMatchObject([{ busy: 0 }])
  other.close()
}

const USES: readonly (readonly [string, (history: History, turn: Turn) => Promise<unknown>])[] = [
  ['listed', ({ store }) => store.list({ limit: 100 })],
  ['found', ({ store }, { sessionId }) => store.find(sessionId)],
  ['read', ({ store }, { sessionId }) => store.readTail(sessionId, 10)],
  ['started', ({ store }) => startSession(store)],
  [
    'appended to',
    ({ store }, lease) =>
      store.append(lease, createBatch({ events: [createStoredEvent(lease.eventSequence + 1)] })),
  ],
]
type Turn = Awaited<ReturnType<History['store']['beginTurn']>>

test.each(USES)(
  '[S16] pages damaged while the history is open are reported when a session is %s',
  async (_, use) => {
    const { home, path } = await createFilledHome()
    const history = await openHistory({ home, key: KEY })
    const turn = await history.store.beginTurn(createNewTurn(await startSession(history.store)))
    moveLog(path)
    await damagePages(path, listPagesAfterFirst((await stat(path)).size / PAGE))
    const failure: Error = await use(history, turn).then(
      () => new Error('It did not fail.'),
      (error) => error,
    )
    expect(failure).toMatchObject({ code: 'history_damaged' })
    expect(failure.message).toContain(path)
    history.close()
    await expect(rotateKey({ home, key: KEY, newKey: OTHER_KEY })).rejects.toMatchObject({
      code: 'history_damaged',
    })
  },
)

test('[S16] verifying all pages finds and names one damaged page anywhere', async () => {
  const { home, path, pages } = await createFilledHome()
  const whole = await readFile(path)
  const verifyAll = async () => {
    const { verify, close } = await openHistory({ home, key: KEY })
    try {
      return verify()
    } finally {
      close()
    }
  }
  expect(await verifyAll()).toEqual({ pages, bytes: whole.length })
  for (let page = 2; page <= pages; page += 5) {
    await damagePages(path, [page])
    const failure: Error = await verifyAll().catch((error) => error)
    expect(failure).toMatchObject({ code: 'history_damaged' })
    expect(failure.message).toMatch(new RegExp(`: page ${page} fails|its first page cannot`))
    await writeFile(path, whole)
  }
})

test('[S16] a damaged history keeps its key', async () => {
  const { home, path, pages } = await createFilledHome()
  await damagePages(path, [pages - 1])
  const before = await readAllFiles(home)
  await expect(rotateKey({ home, key: KEY, newKey: OTHER_KEY })).rejects.toMatchObject({
    code: 'history_damaged',
  })
  const { 'history.db': file, ...after } = await readAllFiles(home)
  expect(Object.keys(after).toSorted()).toEqual(
    Object.keys(before)
      .filter((name) => name !== 'history.db')
      .toSorted(),
  )
  expect(file?.length).toBe(before['history.db']?.length)
  ;(await openHistory({ home, key: KEY })).close()
})
