import { useEffect, useState } from 'react'
import type { ApiClient } from '@parley/api-client'
import type { Citation, SessionId } from '@parley/contracts'

/** Citations are stored asynchronously and may arrive a moment later. */
const POLL_MS = 1_000

const NO_CITATIONS: readonly Citation[] = []

/** All citations of a session, fetched again after each answer. */
export function useCitations(
  { sessions }: Pick<ApiClient, 'sessions'>,
  sessionId: SessionId,
  searches: number,
): readonly Citation[] {
  const [loaded, setLoaded] = useState<readonly Citation[]>(NO_CITATIONS)
  const isShort = loaded.length < searches

  useEffect(() => {
    if (!isShort) return undefined
    let isLeft = false
    const read = async () => {
      const more = await loadCitationsAfter(sessions, sessionId, loaded.length)
      if (isLeft || more.length === 0) return
      setLoaded((before) => [...before, ...more.slice(before.length - loaded.length)])
    }
    const attempt = () => void read().catch(() => undefined)
    attempt()
    const timer = setTimeout(attempt, POLL_MS)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
    // One retry per answer with missing citations; they may never arrive.
  }, [sessions, sessionId, searches, isShort, loaded.length])

  return loaded
}

/** All citations of a session after that number, across pages. */
async function loadCitationsAfter(
  sessions: Pick<ApiClient['sessions'], 'citations'>,
  sessionId: SessionId,
  after: number,
): Promise<readonly Citation[]> {
  const { items, nextCursor } = await sessions.citations({ sessionId, after })
  return nextCursor === undefined
    ? items
    : [...items, ...(await loadCitationsAfter(sessions, sessionId, Number(nextCursor)))]
}

const CALL_POLL_MS = 1_500

/** Marks everything before this page joined the call. */
const EARLIER = 0

/** Fetches the citations of each answer, one request at a time, so none counts twice. */
export function createCitationLoader(
  sessions: Pick<ApiClient['sessions'], 'citations'>,
  onLoaded: (line: number, citations: readonly Citation[]) => void,
) {
  let lastNumber = 0
  let previous: Promise<unknown> = Promise.resolve()
  /** Answers whose request failed: the next citations may belong to any of them, so they are dropped. */
  const missed = new Set<number>()

  const loadNew = async (sessionId: SessionId, line: number): Promise<boolean> => {
    missed.add(line)
    const loaded = await loadCitationsAfter(sessions, sessionId, lastNumber)
    lastNumber = loaded.at(-1)?.number ?? lastNumber
    const isOfThisLine = missed.size === 1 && line !== EARLIER
    missed.clear()
    if (loaded.length > 0 && isOfThisLine) onLoaded(line, loaded)
    return loaded.length > 0
  }
  const loadInOrder = (sessionId: SessionId, line: number): Promise<boolean> => {
    const request = previous.then(() => loadNew(sessionId, line)).catch(() => false)
    previous = request
    return request
  }

  return {
    async load(sessionId: SessionId, line: number): Promise<void> {
      if (await loadInOrder(sessionId, line)) return
      setTimeout(() => void loadInOrder(sessionId, line), CALL_POLL_MS)
    },
    /** Skips citations from before this page joined the call. */
    skipEarlier: (sessionId: SessionId) => void loadInOrder(sessionId, EARLIER),
  }
}
