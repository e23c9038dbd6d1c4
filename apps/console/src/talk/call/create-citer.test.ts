import type { Citation, SessionId } from '@parley/contracts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCiter } from './create-call.ts'

const sessionId = 'ses_1' as SessionId
const citation = (number: number): Citation => ({
  number,
  query: 'Where?',
  at: '2026-01-01T00:00:00.000Z',
  evidence: [],
  gone: 0,
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A server with so many citations, two per page, or one that fails. */
function citing() {
  const server = { lookUps: 0, isAway: false }
  const told: (readonly [line: number, numbers: readonly number[]])[] = []
  const citer = createCiter(
    {
      citations: async ({ after = 0 }) => {
        if (server.isAway) throw new Error('Away.')
        const all = Array.from({ length: server.lookUps }, (_, index) => citation(index + 1)).slice(after)
        return { items: all.slice(0, 2), ...(all.length > 2 && { nextCursor: String(after + 2) }) }
      },
    },
    (line, citations) => told.push([line, citations.map(({ number }) => number)]),
  )
  return { server, told, citer }
}
const allDone = () => vi.advanceTimersByTimeAsync(5_000)

test('[K5] an answer gets all citations since the previous answer', async () => {
  const { server, told, citer } = citing()
  server.lookUps = 3
  await citer.cite(sessionId, 2)
  server.lookUps = 4
  await citer.cite(sessionId, 4)
  await allDone()
  expect(told).toEqual([
    [2, [1, 2, 3]],
    [4, [4]],
  ])
})

test('[K5] searches before a reload do not belong to the first answer after it', async () => {
  const { server, told, citer } = citing()
  server.lookUps = 5
  citer.passEarlier(sessionId)
  await citer.cite(sessionId, 1)
  server.lookUps = 6
  await citer.cite(sessionId, 2)
  await allDone()
  expect(told).toEqual([[2, [6]]])
})

test('[K5] a failed citation request is retried for its own answer', async () => {
  const { server, told, citer } = citing()
  server.lookUps = 1
  server.isAway = true
  await citer.cite(sessionId, 1)
  server.isAway = false
  await allDone()
  expect(told).toEqual([[1, [1]]])
})

test('[K5] ambiguous citations are dropped', async () => {
  const { server, told, citer } = citing()
  server.lookUps = 1
  server.isAway = true
  await citer.cite(sessionId, 1)
  await allDone()
  server.isAway = false
  server.lookUps = 2
  await citer.cite(sessionId, 2)
  server.lookUps = 3
  await citer.cite(sessionId, 3)
  await allDone()
  expect(told).toEqual([[3, [3]]])
})
