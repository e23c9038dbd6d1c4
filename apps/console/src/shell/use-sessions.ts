import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { ListedSession, SessionId, SessionPage, SessionView } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { hasKeyboard } from '../ui/keyboard.ts'
import { focusSearch } from './search-box.tsx'

/** Key prefix of all session lists. */
export const SESSIONS = ['sessions'] as const

export const getSessionKey = (sessionId: SessionId) => ['session', sessionId] as const

const PAGE_SIZE = 40

/** Other clients start and run sessions too. */
const POLL_MS = 10_000

/** Sessions, latest first, filtered by the search text. */
export function useSessions(search: string) {
  const { client } = useConsoleHost()
  return useInfiniteQuery({
    queryKey: [...SESSIONS, search],
    queryFn: ({ pageParam }) =>
      client.sessions.list({
        limit: PAGE_SIZE,
        ...(search !== '' && { search }),
        ...(pageParam !== undefined && { cursor: pageParam }),
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  })
}

export function useRenameSession(sessionId: SessionId) {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const changeLists = useListChange()
  return useMutation({
    mutationFn: (title: string) => client.sessions.rename({ sessionId, title }),
    onSuccess: (renamed) => {
      queries.setQueryData<SessionView>(getSessionKey(sessionId), (known) => ({ ...known, ...renamed }))
      changeLists((item) => [item.sessionId === sessionId ? { ...item, ...renamed } : item])
    },
  })
}

/** Removes the session and its drafts in this browser, and leaves its page if open. */
export function useRemoveSession(sessionId: SessionId) {
  const { client, storage } = useConsoleHost()
  const navigate = useNavigate()
  const { sessionId: shown } = useParams({ strict: false })
  const changeLists = useListChange()
  return useMutation({
    mutationFn: () => client.sessions.remove(sessionId),
    onSuccess: async () => {
      if (shown === sessionId) await navigate({ to: '/sessions' })
      storage.forget(`session.${sessionId}.`)
      if (hasKeyboard()) focusSearch()
      changeLists((item) => (item.sessionId === sessionId ? [] : [item]))
    },
  })
}

/** Applies a change to every cached list, then refetches them. */
function useListChange() {
  const queries = useQueryClient()
  return (change: (item: ListedSession) => readonly ListedSession[]) => {
    queries.setQueriesData<InfiniteData<SessionPage>>(
      { queryKey: SESSIONS },
      (lists) =>
        lists && {
          ...lists,
          pages: lists.pages.map((page) => ({ ...page, items: page.items.flatMap((item) => change(item)) })),
        },
    )
    void queries.invalidateQueries({ queryKey: SESSIONS })
  }
}
