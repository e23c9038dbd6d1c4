import { useInfiniteQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../app/console-host.ts'

export const SESSIONS = ['sessions'] as const

const PAGE = 40

/** Other programs start and run sessions too. */
const LOOK_AGAIN_MS = 10_000

export function useSessions() {
  const { client } = useConsoleHost()
  return useInfiniteQuery({
    queryKey: SESSIONS,
    queryFn: ({ pageParam }) =>
      client.sessions.list({ limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: LOOK_AGAIN_MS,
  })
}
