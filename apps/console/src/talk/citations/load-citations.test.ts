import type { Citation, SessionId } from '@parley/contracts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCitationLoader } from './load-citations.ts'

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
  const server = { searches: 0, isAway: false }
  const loaded: (readonly [line: number, numbers: readonly number[]])[] = []
  const loader = createCitationLoader(
    {
      citations: async ({ after = 0 }) => {
        if (server.isAway) throw new Error('Away.')
        const all = Array.from({ length: server.searches }, (_, index) => citation(index + 1)).slice(after)
        return { items: all.slice(0, 2), ...(all.length > 2 && { nextCursor: String(after + 2) }) }
      },
    },
    (line, citations) => loaded.push([line, citations.map(({ number }) => number)]),
  )
  return { server, loaded, loader }
}
const allDone = () => vi.advanceTimersByTimeAsync(5_000)

test('[K5] an answer gets all citations since the previous answer', async () => {
  const { server, loaded, loader } = citing()
  server.searches = 3
  await loader.load(sessionId, 2)
  server.searches = 4
  await loader.load(sessionId, 4)
  await allDone()
  expect(loaded).toEqual([
    [2, [1, 2, 3]],
    [4, [4]],
  ])
})

test('[K5] searches before a reload do not belong to the first answer after it', async () => {
  const { server, loaded, loader } = citing()
  server.searches = 5
  loader.skipEarlier(sessionId)
  await loader.load(sessionId, 1)
  server.searches = 6
  await loader.load(sessionId, 2)
  await allDone()
  expect(loaded).toEqual([[2, [6]]])
})

test('[K5] a failed citation request is retried for its own answer', async () => {
  const { server, loaded, loader } = citing()
  server.searches = 1
  server.isAway = true
  await loader.load(sessionId, 1)
  server.isAway = false
  await allDone()
  expect(loaded).toEqual([[1, [1]]])
})

test('[K5] ambiguous citations are dropped', async () => {
  const { server, loaded, loader } = citing()
  server.searches = 1
  server.isAway = true
  await loader.load(sessionId, 1)
  await allDone()
  server.isAway = false
  server.searches = 2
  await loader.load(sessionId, 2)
  server.searches = 3
  await loader.load(sessionId, 3)
  await allDone()
  expect(loaded).toEqual([[3, [3]]])
})
