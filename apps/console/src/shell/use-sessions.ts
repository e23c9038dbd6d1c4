import type { SessionId } from '@parley/contracts'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../app/console-host.ts'

/** What starts the names of all lists of sessions. */
export const SESSIONS = ['sessions'] as const

export const sessionKey = (sessionId: SessionId) => ['session', sessionId] as const

const PAGE = 40

/** Other programs start and run sessions too. */
const LOOK_AGAIN_MS = 10_000

/** Latest first; with words to search for, those that hold them. */
export function useSessions(search: string) {
  const { client } = useConsoleHost()
  return useInfiniteQuery({
    queryKey: [...SESSIONS, search],
    queryFn: ({ pageParam }) =>
      client.sessions.list({
        limit: PAGE,
        ...(search !== '' && { search }),
        ...(pageParam !== undefined && { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: LOOK_AGAIN_MS,
  })
}
