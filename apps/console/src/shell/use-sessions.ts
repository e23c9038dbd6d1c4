import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { ListedSession, SessionId, SessionPage, SessionView } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import type { SessionFilters } from '../app/search-params.ts'
import { hasKeyboard } from '../ui/keyboard.ts'
import { type Pages, usePages } from '../ui/use-pages.ts'
import { focusSearch } from './search-box.tsx'

/** Key prefix of all session lists. */
export const SESSIONS_KEY = ['sessions'] as const

export const getSessionKey = (sessionId: SessionId) => ['session', sessionId] as const

/** Other clients start and run sessions too. */
const POLL_MS = 10_000

export function useSessions(filters: SessionFilters): Pages<ListedSession> {
  const { client } = useConsoleHost()
  return usePages({
    key: [...SESSIONS_KEY, filters],
    read: (page) => client.sessions.list({ ...filters, ...page }),
    pollMs: () => POLL_MS,
    keepPrevious: true,
  })
}

export function useRenameSession(sessionId: SessionId) {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const changeLists = useListChange()
  return useMutation({
    mutationFn: (title: string) => client.sessions.rename({ sessionId, title }),
    onSuccess: (renamed) => {
      queries.setQueryData<SessionView>(getSessionKey(sessionId), (before) => ({ ...before, ...renamed }))
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
      { queryKey: SESSIONS_KEY },
      (lists) =>
        lists && {
          ...lists,
          pages: lists.pages.map((page) => ({ ...page, items: page.items.flatMap((item) => change(item)) })),
        },
    )
    void queries.invalidateQueries({ queryKey: SESSIONS_KEY })
  }
}
