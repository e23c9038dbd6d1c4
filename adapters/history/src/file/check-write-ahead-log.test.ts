import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import type { SessionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { openHistory } from '../index.ts'
import { readAllFiles, createTestHome, KEY } from '../testing/fresh-home.ts'
import { startKeyProcess } from '../testing/key-process.ts'
import { noKeychain } from '../testing/keychains.ts'
import { createBatch, createStoredEvent } from '@parley/engine/testing'
import { createNewTurn, startSession } from '../testing/turns.ts'

const EVENTS = 10

interface InterruptedHistory {
  readonly home: string
  readonly log: string
  readonly id: SessionId
  /** The log index at the time when half of the log was written. */
  readonly earlierIndex: Buffer
}

/** The files that a killed process leaves: the last writes are only in the log. */
async function createInterruptedHistory(): Promise<InterruptedHistory> {
  const [live, home] = [await createTestHome(), await createTestHome()]
  const { store, close } = await openHistory({ home: live, key: KEY })
  const id = await startSession(store)
  const lease = await store.beginTurn(createNewTurn(id))
  let earlierIndex = Buffer.alloc(0)
  for (let n = 1; n <= EVENTS; n += 1) {
    await store.append(lease, createBatch({ events: [createStoredEvent(2 + n)] }))
    if (n === EVENTS / 2) earlierIndex = await readFile(`${live}/history.db-shm`)
  }
  await cp(live, home, { recursive: true })
  close()
  return { home, log: `${home}/history.db-wal`, id, earlierIndex }
}

async function countEvents(home: string, id: SessionId, notices: string[] = []): Promise<number> {
  const { store, close } = await openHistory({ home, key: KEY, onNotice: (text) => notices.push(text) })
  try {
    return (await store.readEvents(id, { after: 2, limit: 100 })).length
  } finally {
    close()
  }
}

test('[S4] a reopened history has the messages that are only in its log', async () => {
  const { home, id } = await createInterruptedHistory()
  expect(await countEvents(home, id)).toBe(EVENTS)
})

test.each([0.001, 0.01, 0.2, 0.5, 0.8])(
  '[S16] a wrong bit at %f of the log is reported and does not hide later messages',
  async (place) => {
    const { home, log, id } = await createInterruptedHistory()
    const bytes = await readFile(log)
    const at = Math.floor(bytes.length * place)
    bytes[at] = (bytes[at] ?? 0) ^ 4
    await writeFile(log, bytes)
    const before = await readAllFiles(home)
    const failure: Error = await countEvents(home, id).catch((error) => error)
    expect(failure).toMatchObject({ code: 'history_damaged' })
    expect(failure.message).toContain(log)
    expect(await readAllFiles(home)).toEqual(before)
  },
)

test('[S16] a wrong bit in the header of the log is reported', async () => {
  const { home, log, id } = await createInterruptedHistory()
  const bytes = await readFile(log)
  bytes[9] = (bytes[9] ?? 0) ^ 1
  await writeFile(log, bytes)
  await expect(countEvents(home, id)).rejects.toMatchObject({ code: 'history_damaged' })
})

const FRAME = 24 + 4_096

/** The starts of the frames that end a transaction. */
async function findCommits(log: string): Promise<readonly number[]> {
  const bytes = await readFile(log)
  const frames = Array.from({ length: Math.floor((bytes.length - 32) / FRAME) }, (_, n) => 32 + n * FRAME)
  return frames.filter((at) => bytes.readUInt32BE(at + 4) > 0)
}

const findLastCommit = async (log: string) => (await findCommits(log)).at(-1) ?? 0

async function flipBit(path: string, at: number): Promise<void> {
  const bytes = await readFile(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(path, bytes)
}

test.each([
  ['number of the page', 3],
  ['mark of the commit', 7],
  ['first half of the salt', 11],
  ['second half of the salt', 12],
  ['checksum', 16],
  ['page', 2_000],
])(
  '[S16] a wrong bit in the %s of the very last frame is reported, since the log index has that frame',
  async (_, at) => {
    const { home, log, id } = await createInterruptedHistory()
    await flipBit(log, (await findLastCommit(log)) + at)
    const before = await readAllFiles(home)
    await expect(countEvents(home, id)).rejects.toMatchObject({ code: 'history_damaged' })
    expect(await readAllFiles(home)).toEqual(before)
  },
)

test('[S16] a log that was truncated after it was stored is reported', async () => {
  const { home, log, id } = await createInterruptedHistory()
  await truncate(log, (await findLastCommit(log)) + 100)
  await expect(countEvents(home, id)).rejects.toMatchObject({ code: 'history_damaged' })
})

test('[S16] without its damaged log a history opens with a notice and lacks only its last messages', async () => {
  const { home, log, id } = await createInterruptedHistory()
  await rm(log)
  const notices: string[] = []
  expect(await countEvents(home, id, notices)).toBe(0)
  expect(notices).toEqual([expect.stringContaining(log)])
  expect(await countEvents(home, id, notices)).toBe(0)
  expect(notices).toHaveLength(1)
})

/** After a power loss the log index does not tell how much of the log was stored. */
async function createHistoryAfterPowerCut() {
  const found = await createInterruptedHistory()
  await rm(`${found.home}/history.db-shm`)
  return found
}

test('[S4] a last transaction that a power loss cut off is dropped, and the rest is read', async () => {
  const { home, log, id } = await createHistoryAfterPowerCut()
  await truncate(log, (await findLastCommit(log)) + 100)
  expect(await countEvents(home, id)).toBe(EVENTS - 1)
})

test.each([8, 12, 2_000])(
  '[S16] a last transaction broken at byte %i is dropped with a notice',
  async (at) => {
    const { home, log, id } = await createHistoryAfterPowerCut()
    await flipBit(log, (await findLastCommit(log)) + at)
    const notices: string[] = []
    expect(await countEvents(home, id, notices)).toBe(EVENTS - 1)
    expect(notices).toEqual([expect.stringContaining(log)])
  },
)

test.each([8, 12, 2_000])(
  '[S16] a transaction broken at byte %i before a complete one is reported as damage',
  async (at) => {
    const { home, log, id } = await createHistoryAfterPowerCut()
    await flipBit(log, ((await findCommits(log)).at(-2) ?? 0) + at)
    await expect(countEvents(home, id)).rejects.toMatchObject({ code: 'history_damaged' })
  },
)

test('[S16] an older log index changes none of these results', async () => {
  const { home, id, earlierIndex } = await createInterruptedHistory()
  await writeFile(`${home}/history.db-shm`, earlierIndex)
  expect(await countEvents(home, id)).toBe(EVENTS)
  const again = await createInterruptedHistory()
  await writeFile(`${again.home}/history.db-shm`, again.earlierIndex)
  await flipBit(again.log, ((await findCommits(again.log)).at(-2) ?? 0) + 2_000)
  await expect(countEvents(again.home, again.id)).rejects.toMatchObject({ code: 'history_damaged' })
})

test('[S4] a log that reached the disk only in length is not damage', async () => {
  const { home, log, id } = await createHistoryAfterPowerCut()
  await writeFile(log, Buffer.alloc((await readFile(log)).length))
  const notices: string[] = []
  const options = { home, key: KEY, onNotice: (text: string) => notices.push(text) }
  const { store, close } = await openHistory(options)
  expect(await store.find(id)).toBeUndefined()
  expect(notices).toEqual([])
  close()
})

test('[S16] a log that another process is writing does not count as broken', async () => {
  const home = await createTestHome()
  ;(await openHistory({ home, keychain: noKeychain })).close()
  const writer = startKeyProcess({ home, act: 'keep writing' })
  expect(await writer.nextLine()).toBe('begun')
  const notices: string[] = []
  const options = { home, keychain: noKeychain, onNotice: (text: string) => notices.push(text) }
  for (let n = 0; n < 60; n += 1) {
    ;(await openHistory(options)).close()
    if (n % 10 === 0) await startLogOver(options)
  }
  expect(notices).toEqual([])
  writer.child.stdin.end()
  expect(Number(await writer.nextLine())).toBeGreaterThan(10)
})

/** Writes enough that SQLite moves the log to the file and restarts the log. */
async function startLogOver(options: Parameters<typeof openHistory>[0]): Promise<void> {
  const { store, close } = await openHistory(options)
  const id = await startSession(store)
  await store.beginTurn(createNewTurn(id, 'x'.repeat(2_000_000)))
  close()
}
