import type { ListedSession } from '@parley/contracts'
import { Link } from '@tanstack/react-router'
import { isOffline } from '../session/model-label.ts'
import { timeAgo } from '../shell/time-ago.ts'
import { TurnMark } from '../shell/turn-mark.tsx'
import { timeInWords } from '../ui/time-in-words.ts'
import { costsInWords } from './costs-in-words.ts'
import type { ReflectionNames } from './use-reflection-names.ts'

interface ListedSessionRowProps {
  readonly session: ListedSession
  readonly now: number
  readonly names: ReflectionNames
}

/** A session in one row: what it was about, with whom, how much of it there is, when it was last spoken in. */
export function ListedSessionRow({ session, now, names }: ListedSessionRowProps) {
  const { sessionId, title, openTurn, status, updatedAt, createdAt, messageCount, costs } = session
  const cost = costsInWords(costs)
  return (
    <li>
      <Link
        data-row
        to="/sessions/$sessionId"
        params={{ sessionId }}
        className="hover:bg-shade -mx-3 grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-0.5 rounded-sm px-3 py-2.5 outline-offset-[-2px] lg:grid-cols-[minmax(0,1fr)_7rem_7rem_6rem]"
      >
        <span className="flex min-w-0 items-baseline gap-2">
          <span className="min-w-0 truncate font-serif text-[1.0625rem]">{title ?? 'Untitled session'}</span>
          {openTurn && <TurnMark state={openTurn.state} />}
          {status === 'ended' && <span className="text-soft shrink-0 text-xs">ended</span>}
        </span>
        <span className="text-soft text-sm tabular-nums max-lg:order-3 max-lg:text-end lg:text-end">
          {messageCount} {messageCount === 1 ? 'message' : 'messages'}
          {cost !== undefined && <span className="lg:hidden"> · {cost}</span>}
        </span>
        <span className="text-soft text-sm tabular-nums max-lg:hidden lg:text-end">{cost}</span>
        <time
          dateTime={updatedAt}
          title={`Last spoken in ${timeInWords(updatedAt)}; begun ${timeInWords(createdAt)}`}
          className="text-soft text-end text-sm"
        >
          {timeAgo(updatedAt, now)}
        </time>
        <span className="text-soft min-w-0 truncate text-sm max-lg:order-2 lg:col-span-4">
          {aboutOf(session, names).join(' · ')}
        </span>
      </Link>
    </li>
  )
}

function aboutOf(session: ListedSession, names: ReflectionNames): readonly string[] {
  const { reflectionId, ownerLabel, agentSlug, model, channel } = session
  const name = reflectionId && (names.get(reflectionId) ?? 'a reflection')
  return [
    name ? `with ${name}` : agentSlug,
    isOffline(session) ? 'offline model' : model,
    ...(channel === 'voice' ? ['spoken'] : []),
    ...(ownerLabel ? [`by ${ownerLabel}`] : []),
  ]
}
