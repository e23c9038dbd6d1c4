import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPings } from './pings.ts'
import type { ServerEvent } from './server-event.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function started() {
  const sent: ServerEvent[] = []
  let lost = 0
  let eventId = 0
  const pings = createPings({
    now: Date.now,
    nextEventId: () => (eventId += 1),
    send: (event) => sent.push(event),
    probe: () => undefined,
    onLost: () => void (lost += 1),
  })
  pings.start()
  const delays = () => sent.map((event) => (event.type === 'ping' ? event.ping_event.ping_ms : undefined))
  return { pings, delays, lost: () => lost }
}

test('[X2] a ping tells how long the answer to the one before it took', () => {
  const { pings, delays } = started()
  vi.advanceTimersByTime(120)
  pings.answered(1)
  vi.advanceTimersByTime(5_000)
  pings.answered(99)
  vi.advanceTimersByTime(5_000)
  expect(delays()).toEqual([null, 120, 120])
  pings.close()
})

test('[X2] a client without any sign of life is lost; any sign will do', () => {
  const { pings, lost } = started()
  vi.advanceTimersByTime(25_000)
  pings.signOfLife()
  vi.advanceTimersByTime(25_000)
  expect(lost()).toBe(0)
  vi.advanceTimersByTime(10_000)
  expect(lost()).toBeGreaterThan(0)
  pings.close()
})
