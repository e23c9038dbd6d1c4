import type { ApiClient } from '@parley/api-client'
import type { Citation, SessionId } from '@parley/contracts'

/** All that was looked up in a session after that number, however many pages it takes. */
export async function citationsAfter(
  sessions: Pick<ApiClient['sessions'], 'citations'>,
  sessionId: SessionId,
  after: number,
): Promise<readonly Citation[]> {
  const { items, nextCursor } = await sessions.citations({ sessionId, after })
  return nextCursor === undefined
    ? items
    : [...items, ...(await citationsAfter(sessions, sessionId, Number(nextCursor)))]
}
