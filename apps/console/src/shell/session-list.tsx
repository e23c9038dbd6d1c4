import type { SessionView } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { timeAgo } from './time-ago.ts'
import { useSessions } from './use-sessions.ts'

export function SessionList() {
  const { data, dataUpdatedAt, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useSessions()
  const sessions = data?.pages.flatMap(({ items }) => items) ?? []
  const again = <Button onClick={() => void refetch()}>Try again</Button>
  return (
    <nav aria-label="Sessions" className="flex flex-col gap-px">
      {isPending && <p className="animate-late text-soft px-3 py-2 text-sm">Loading sessions…</p>}
      {error && sessions.length === 0 && <Notice action={again}>{messageOf(error)}</Notice>}
      {data && sessions.length === 0 && <p className="text-soft px-3 py-2 text-sm">No sessions yet.</p>}
      <ul>
        {sessions.map((session) => (
          <li key={session.sessionId}>
            <SessionLink session={session} now={dataUpdatedAt} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button
          look="bare"
          className="justify-start"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </nav>
  )
}

function SessionLink({ session, now }: { session: SessionView; now: number }) {
  const { sessionId, title, updatedAt, runningTurnId } = session
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      className="text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink flex items-baseline gap-2 border-s-2 border-transparent px-3 py-1.5 text-sm max-sm:py-3"
    >
      <span className="min-w-0 flex-1 truncate">{title ?? 'Untitled session'}</span>
      {runningTurnId && (
        <span className="bg-accent animate-breathe size-1.5 shrink-0 self-center rounded-full">
          <span className="sr-only">running</span>
        </span>
      )}
      <time dateTime={updatedAt} title={new Date(updatedAt).toLocaleString()} className="shrink-0 text-xs">
        {timeAgo(updatedAt, now)}
      </time>
    </Link>
  )
}
