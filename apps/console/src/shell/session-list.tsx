import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { SearchBox } from './search-box.tsx'
import { SessionRow } from './session-row.tsx'
import { useSessions } from './use-sessions.ts'

export function SessionList() {
  const [search, setSearch] = useState('')
  const list = useSessions(search)
  const { data, dataUpdatedAt, error, isPending, isPlaceholderData } = list
  const sessions = data?.pages.flatMap(({ items }) => items) ?? []
  const isEmpty = data !== undefined && sessions.length === 0 && !isPlaceholderData
  const again = <Button onClick={() => void list.refetch()}>Try again</Button>
  return (
    <nav aria-label="Sessions" className="flex h-full flex-col">
      <SearchBox onSearch={setSearch} />
      <div className="min-h-0 flex-1 overflow-y-auto px-1 pb-2">
        <div role="status" className="text-soft text-sm">
          {isPending && <p className="animate-late px-3 py-2">Loading sessions…</p>}
          {isEmpty && (
            <p className="px-3 py-2 wrap-anywhere">
              {search === '' ? 'No sessions yet.' : `Nothing found for “${search}”.`}
            </p>
          )}
        </div>
        {error && (sessions.length === 0 || isPlaceholderData) && (
          <div className="px-3 py-2">
            <Notice action={again}>{messageOf(error)}</Notice>
          </div>
        )}
        <ul>
          {sessions.map((session) => (
            <SessionRow key={session.sessionId} session={session} now={dataUpdatedAt} />
          ))}
        </ul>
        {list.hasNextPage && (
          <Button
            look="bare"
            className="justify-start"
            disabled={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show more
          </Button>
        )}
      </div>
    </nav>
  )
}
