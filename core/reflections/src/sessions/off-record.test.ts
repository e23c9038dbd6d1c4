import type { PersonId, SessionId } from '@parley/contracts'
import { createMemorySessionStore } from '@parley/engine'
import { createTestSession } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { createOffRecord } from './off-record.ts'

const ADA = 'per_ada' as PersonId
const id = (n: number) => `ses_${n}` as SessionId

function offRecordAt(time: { now: number }) {
  const kept = createMemorySessionStore()
  const ended: SessionId[] = []
  const offRecord = createOffRecord({
    durableStore: kept,
    clock: { now: () => time.now },
    endHeldSession: async (sessionId) => {
      ended.push(sessionId)
      await offRecord.store.remove(sessionId)
    },
  })
  const create = async (sessionId: SessionId) => {
    const [session, started] = createTestSession(sessionId, new Date(0).toISOString())
    await offRecord.store.create(session, started)
  }
  return { offRecord, kept, ended, create }
}

test('a person has at most five off-record sessions at once', async () => {
  const { offRecord, create } = offRecordAt({ now: 0 })
  for (let n = 0; n < 5; n += 1) {
    offRecord.admit(id(n), ADA, 'reflection')
    await create(id(n))
  }
  expect(() => offRecord.admit(id(9), ADA, 'agent')).toThrow(
    expect.objectContaining({ code: 'rate_limited' }),
  )
  await offRecord.store.end(id(0), new Date(0).toISOString())
  expect(() => offRecord.admit(id(9), ADA, 'agent')).not.toThrow()
})

test('a process holds at most 200 off-record sessions', () => {
  const { offRecord } = offRecordAt({ now: 0 })
  for (let n = 0; n < 200; n += 1) offRecord.admit(id(n), `per_${n}` as PersonId, 'agent')
  expect(() => offRecord.admit(id(200), ADA, 'agent')).toThrow(
    expect.objectContaining({ code: 'rate_limited' }),
  )
})

test('an off-record session ends after half an hour without use', async () => {
  const time = { now: 0 }
  const { offRecord, ended, create } = offRecordAt(time)
  offRecord.admit(id(1), ADA, 'agent')
  await create(id(1))
  time.now = 29 * 60_000
  await offRecord.endOld()
  expect(ended).toEqual([])
  await offRecord.store.find(id(1))
  time.now = 58 * 60_000
  await offRecord.endOld()
  expect(ended).toEqual([])
  time.now = 60 * 60_000
  await offRecord.endOld()
  expect(ended).toEqual([id(1)])
  expect(await offRecord.store.find(id(1))).toBeUndefined()
})

test('an off-record session ends after a day, even in use', async () => {
  const time = { now: 0 }
  const { offRecord, ended, create } = offRecordAt(time)
  offRecord.admit(id(1), ADA, 'agent')
  await create(id(1))
  for (time.now = 0; ended.length === 0 && time.now < 48 * 3_600_000; time.now += 600_000) {
    await offRecord.store.find(id(1))
    await offRecord.endOld()
  }
  expect(ended).toEqual([id(1)])
  expect(time.now / 3_600_000).toBeCloseTo(24, 0)
})

test('an off-record session never reaches the store of the others', async () => {
  const { offRecord, kept, create } = offRecordAt({ now: 0 })
  offRecord.admit(id(1), ADA, 'agent')
  await create(id(1))
  await create(id(2))
  expect(await kept.find(id(1))).toBeUndefined()
  expect((await kept.list({ limit: 10 })).items.map(({ session }) => session.id)).toEqual([id(2)])
  expect(await offRecord.store.find(id(1))).toBeDefined()
})
