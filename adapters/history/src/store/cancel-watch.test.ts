import type { SessionId } from '@parley/contracts'
import type { Lease } from '@parley/engine'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type CancelRequest, createCancelWatch } from './cancel-watch.ts'

function createTestWatch() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const asked: CancelRequest[] = []
  const findCancelRequests = vi.fn<() => readonly CancelRequest[]>(() => asked)
  return { asked, findCancelRequests, watch: createCancelWatch(findCancelRequests) }
}

const toLease = (sessionId: string, epoch = 1) => ({ sessionId, epoch }) as Lease

test('one poll serves all turns, and nothing is polled while no turn is watched', () => {
  const { findCancelRequests, watch } = createTestWatch()
  const stops = ['ses_1', 'ses_2', 'ses_3'].map((id) => watch.watch(toLease(id), () => undefined))
  expect(vi.getTimerCount()).toBe(1)
  findCancelRequests.mockClear()
  vi.advanceTimersByTime(1_000)
  expect(findCancelRequests).toHaveBeenCalledTimes(10)
  for (const stop of stops) stop()
  expect(vi.getTimerCount()).toBe(0)
})

test('[S2] a cancel request cancels its turn once, and no other', () => {
  const { asked, watch } = createTestWatch()
  const told: string[] = []
  for (const [id, epoch] of [
    ['ses_1', 1],
    ['ses_1', 2],
    ['ses_2', 2],
  ] as const)
    watch.watch(toLease(id, epoch), () => told.push(`${id} ${epoch}`))
  asked.push({ id: 'ses_1' as SessionId, lease_epoch: 2 })
  vi.advanceTimersByTime(1_000)
  expect(told).toEqual(['ses_1 2'])
})

test('[S2] a failed poll is repeated', () => {
  const { asked, findCancelRequests, watch } = createTestWatch()
  const told: string[] = []
  watch.watch(toLease('ses_1'), () => told.push('told'))
  findCancelRequests.mockImplementationOnce(() => {
    throw new Error('locked')
  })
  asked.push({ id: 'ses_1' as SessionId, lease_epoch: 1 })
  vi.advanceTimersByTime(100)
  expect(told).toEqual([])
  vi.advanceTimersByTime(100)
  expect(told).toEqual(['told'])
})
