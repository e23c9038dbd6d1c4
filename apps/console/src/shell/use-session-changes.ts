import type { ListedSession, SessionId, SessionPage, SessionView } from '@parley/contracts'
import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useConsoleHost } from '../app/console-host.ts'
import { worksByKeys } from '../ui/works-by-keys.ts'
import { focusSearch } from './search-box.tsx'
import { SESSIONS, sessionKey } from './use-sessions.ts'

export function useRenameSession(sessionId: SessionId) {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  const changeLists = useListChange()
  return useMutation({
    mutationFn: (title: string) => client.sessions.rename({ sessionId, title }),
    onSuccess: (renamed) => {
      queries.setQueryData<SessionView>(sessionKey(sessionId), (known) => ({ ...known, ...renamed }))
      changeLists((item) => [item.sessionId === sessionId ? { ...item, ...renamed } : item])
    },
  })
}

/** Removes the session, what this browser kept of it, and leaves its page where that is open. */
export function useRemoveSession(sessionId: SessionId) {
  const { client, keep } = useConsoleHost()
  const navigate = useNavigate()
  const { sessionId: shown } = useParams({ strict: false })
  const changeLists = useListChange()
  return useMutation({
    mutationFn: () => client.sessions.remove(sessionId),
    onSuccess: async () => {
      if (shown === sessionId) await navigate({ to: '/sessions' })
      keep.forget(`session.${sessionId}.`)
      if (worksByKeys()) focusSearch()
      changeLists((item) => (item.sessionId === sessionId ? [] : [item]))
    },
  })
}

/** Shows a change in every list at once, and then asks the server for them anew. */
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
