import { cp, readFile, truncate, writeFile } from 'node:fs/promises'
import type { SessionId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { openHistory } from '../index.ts'
import { bytesIn, freshHome, KEY } from '../testing/fresh-home.ts'
import { batch, event, opening, startSession } from '../testing/turns.ts'

const EVENTS = 10

/** A history as a killed process leaves it: what was written last is in the log alone. */
async function interruptedHistory(): Promise<{ home: string; log: string; id: SessionId }> {
  const [live, home] = [await freshHome(), await freshHome()]
  const { store, close } = await openHistory({ home: live, key: KEY })
  const id = await startSession(store)
  const lease = await store.begin(opening(id))
  for (let n = 1; n <= EVENTS; n += 1) await store.append(lease, batch({ events: [event(2 + n)] }))
  await cp(live, home, { recursive: true })
  close()
  return { home, log: `${home}/history.db-wal`, id }
}

async function eventsIn(home: string, id: SessionId): Promise<number> {
  const { store, close } = await openHistory({ home, key: KEY })
  try {
    return (await store.readEvents(id, { after: 2, limit: 100 })).length
  } finally {
    close()
  }
}

test('[S4] what is in the log alone is there when the history is opened again', async () => {
  const { home, id } = await interruptedHistory()
  expect(await eventsIn(home, id)).toBe(EVENTS)
})

test.each([0.001, 0.01, 0.2, 0.5, 0.8])(
  '[S16] a wrong bit at %f of the log does not silently cut off what follows',
  async (place) => {
    const { home, log, id } = await interruptedHistory()
    const bytes = await readFile(log)
    const at = Math.floor(bytes.length * place)
    bytes[at] = (bytes[at] ?? 0) ^ 4
    await writeFile(log, bytes)
    const before = await bytesIn(home)
    const failure: Error = await eventsIn(home, id).catch((error) => error)
    expect(failure).toMatchObject({ code: 'history_damaged' })
    expect(failure.message).toContain(log)
    expect(await bytesIn(home)).toEqual(before)
  },
)

test('[S16] a wrong bit in the head of the log is found, too', async () => {
  const { home, log, id } = await interruptedHistory()
  const bytes = await readFile(log)
  bytes[9] = (bytes[9] ?? 0) ^ 1
  await writeFile(log, bytes)
  await expect(eventsIn(home, id)).rejects.toMatchObject({ code: 'history_damaged' })
})

test('[S4] a last transaction that was cut off by a loss of power is dropped, and the rest is there', async () => {
  const { home, log, id } = await interruptedHistory()
  await truncate(log, (await readFile(log)).length - 1_000)
  expect(await eventsIn(home, id)).toBe(EVENTS - 1)
})

test('[S4] a log of which nothing had reached the disk but its length is no damage', async () => {
  const { home, log, id } = await interruptedHistory()
  await writeFile(log, Buffer.alloc((await readFile(log)).length))
  const { store, close } = await openHistory({ home, key: KEY })
  expect(await store.find(id)).toBeUndefined()
  close()
})
