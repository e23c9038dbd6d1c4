import { Link } from '@tanstack/react-router'
import { timeAgo } from '../shell/time-ago.ts'
import { TurnMark } from '../shell/session-forms.tsx'
import { useSessions } from '../shell/use-sessions.ts'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { timeInWords } from '../ui/time-in-words.ts'

const MOST_SHOWN = 6

export function RecentSessions() {
  const { data, dataUpdatedAt, error } = useSessions('')
  const sessions = data?.pages.flatMap(({ items }) => items).slice(0, MOST_SHOWN)
  return (
    <section aria-labelledby="recent-title" className="flex min-h-32 flex-col gap-2">
      <h2 id="recent-title" className="font-serif text-lg">
        Recent sessions
      </h2>
      {error && !data && <Notice>{messageOf(error)}</Notice>}
      {sessions?.length === 0 && (
        <p className="text-soft text-sm leading-6">
          No sessions yet. Your conversations appear here, to reread or continue.
        </p>
      )}
      <ul className="flex flex-col">
        {sessions?.map(({ sessionId, title, updatedAt, openTurn }) => (
          <li key={sessionId}>
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId }}
              className="text-soft hover:text-ink flex items-baseline gap-2 py-1.5 text-sm max-sm:py-3"
            >
              <span className="text-ink min-w-0 flex-1 truncate">{title ?? 'Untitled session'}</span>
              {openTurn && <TurnMark state={openTurn.state} />}
              <time dateTime={updatedAt} title={timeInWords(updatedAt)} className="shrink-0 text-xs">
                {timeAgo(updatedAt, dataUpdatedAt)}
              </time>
            </Link>
          </li>
        ))}
      </ul>
      {sessions && sessions.length > 0 && (
        <Link to="/sessions" className="text-accent w-fit text-sm underline">
          All sessions
        </Link>
      )}
    </section>
  )
}
