import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { SessionEvent, SessionId, TurnId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { createEventLog, type LogReader } from './event-log.ts'
import { waitUntilQuiet } from './cluster.fixture.ts'

const createToken = (sequenceNumber: number, text = 'x'): SessionEvent =>
  ({
    type: 'agent:token',
    sessionId: 'ses_1' as SessionId,
    turnId: 'trn_1' as TurnId,
    stepId: 'stp_1',
    sequenceNumber,
    timestamp: '2026-03-04T05:06:07.000Z',
    token: text,
    model: 'm',
  }) as SessionEvent

const { signal } = new AbortController()

/** The numbers that a reader can take now. */
async function takeAll(reader: LogReader): Promise<readonly (number | 'lagged')[]> {
  const numbers: (number | 'lagged')[] = []
  const leaving = new AbortController()
  for (;;) {
    const next = reader.next(leaving.signal)
    void waitUntilQuiet().then(() => leaving.abort())
    const event = await next
    if (event === undefined) return numbers
    numbers.push(event === 'lagged' ? event : event.sequenceNumber)
    if (event === 'lagged') return numbers
  }
}

test('a reader gets the events after it joined, in order', async () => {
  const log = createEventLog({ events: 9, bytes: 10_000 })
  log.push(createToken(1))
  const reader = log.attach()
  const first = reader.next(signal)
  log.push(createToken(2))
  log.push(createToken(3))
  expect(await first).toMatchObject({ sequenceNumber: 2 })
  expect(await takeAll(reader)).toEqual([3])
})

test.each([
  ['events', { events: 3, bytes: 100_000 }, 'x'],
  ['bytes', { events: 100, bytes: 3_600 }, 'x'.repeat(1_000)],
])(
  '[S6] a reader that lags by more than the kept %s is notified and continues from there',
  async (_, limits, text) => {
    const log = createEventLog(limits)
    const [slow, quick] = [log.attach(), log.attach()]
    for (const number of [1, 2, 3]) log.push(createToken(number, text))
    expect(await takeAll(quick)).toEqual([1, 2, 3])
    log.push(createToken(4, text))
    expect(await takeAll(slow)).toEqual(['lagged'])
    expect(await takeAll(quick)).toEqual([4])
    slow.catchUp()
    log.push(createToken(5, text))
    expect(await takeAll(slow)).toEqual([5])
  },
)

test('an event larger than the whole limit still reaches a waiting reader', async () => {
  const log = createEventLog({ events: 9, bytes: 1_000 })
  const reader = log.attach()
  log.push(createToken(1))
  log.push(createToken(2, 'x'.repeat(9_000)))
  expect(await takeAll(reader)).toEqual(['lagged'])
  reader.catchUp()
  log.push(createToken(3, 'x'.repeat(9_000)))
  expect(await takeAll(reader)).toEqual([3])
})

test('a slow reader keeps its place while others take everything, leave and come', async () => {
  const log = createEventLog({ events: 9, bytes: 100_000 })
  const [slow, quick] = [log.attach(), log.attach()]
  log.push(createToken(1))
  expect(await takeAll(quick)).toEqual([1])
  quick.detach()
  log.attach()
  log.push(createToken(2))
  expect(await takeAll(slow)).toEqual([1, 2])
})

test('[S6] nothing is kept for readers that took everything, for any number of events', async () => {
  const log = createEventLog({ events: 1_000_000, bytes: Number.POSITIVE_INFINITY })
  const readers = Array.from({ length: 3 }, () => log.attach())
  let event: SessionEvent | undefined = createToken(1, 'x'.repeat(1_000))
  const held = new WeakRef(event)
  log.push(event)
  event = undefined
  const waiting = readers.map(async (reader) => {
    await reader.next(signal)
    await reader.next(signal)
  })
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  expect(held.deref()).toBeUndefined()
  log.push(createToken(2))
  await Promise.all(waiting)
})

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}

test('after a missed event every reader is notified, waiting ones too', async () => {
  const log = createEventLog({ events: 9, bytes: 10_000 })
  const [waiting, idle] = [log.attach(), log.attach()]
  const next = waiting.next(signal)
  await waitUntilQuiet()
  log.markGap()
  expect(await next).toBe('lagged')
  expect(await takeAll(idle)).toEqual(['lagged'])
  idle.catchUp()
  log.push(createToken(1))
  expect(await takeAll(idle)).toEqual([1])
})

test('a reader that is aborted while waiting gets nothing more', async () => {
  const log = createEventLog({ events: 9, bytes: 10_000 })
  const abort = new AbortController()
  const next = log.attach().next(abort.signal)
  await waitUntilQuiet()
  abort.abort()
  expect(await next).toBeUndefined()
})
