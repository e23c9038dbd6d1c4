import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import {
  type Channel,
  type ListedSession,
  type ReflectionId,
  type SessionCosts,
  SessionStatus,
  formatShortMoney,
} from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { isOffline } from '../session/text-labels.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { useShell } from '../shell/shell-context.ts'
import { timeAgo } from '../shell/time-ago.ts'
import { TurnMark } from '../shell/session-forms.tsx'
import { SESSIONS } from '../shell/use-sessions.ts'
import { Button } from '../ui/button.tsx'
import { Choice, TextField } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { PageList } from '../ui/page-list.tsx'
import { timeInWords } from '../ui/time-in-words.ts'
import { usePages } from '../ui/use-pages.ts'
import { useRowKeys } from '../ui/keyboard.ts'
import { type SessionFilters, isFiltered } from './session-filters.ts'

/** Other clients start and run sessions too. */
const POLL_MS = 10_000

/** All sessions a person may read, with filters that live in the address. */
export function SessionsPage({ filters }: { filters: SessionFilters }) {
  const { client } = useConsoleHost()
  const navigate = useNavigate()
  const names = useReflectionNames()
  const list = useRef<HTMLDivElement>(null)
  useRowKeys(list)
  const change = useCallback(
    (next: SessionFilters) => void navigate({ to: '/sessions', search: next, replace: true }),
    [navigate],
  )
  const pages = usePages<ListedSession>({
    key: [...SESSIONS, 'page', filters],
    read: (page) => client.sessions.list({ ...filters, ...page }),
    lookAgainMs: () => POLL_MS,
    keepsPrevious: true,
  })
  return (
    <>
      <title>Sessions · Parley</title>
      <PageHeader title="Sessions" />
      <PageBody width="wide">
        <FilterBar filters={filters} names={names} onChange={change} />
        <div ref={list} className="flex flex-col gap-6">
          <PageList
            pages={pages}
            label="Sessions found"
            empty={isFiltered(filters) ? <NoResults onClear={() => change({})} /> : <NoSessionsYet />}
            row={(session) => (
              <ListedSessionRow key={session.sessionId} session={session} now={pages.readAt} names={names} />
            )}
          />
        </div>
      </PageBody>
    </>
  )
}

const NoResults = ({ onClear }: { onClear: () => void }) => (
  <div className="flex max-w-prose flex-col items-start gap-3 text-sm leading-6">
    <p className="font-serif text-xl">No results</p>
    <p>No session matches. The search covers titles and messages.</p>
    <Button onClick={onClear}>Clear filters</Button>
  </div>
)

function NoSessionsYet() {
  const { newSession } = useShell()
  return (
    <div className="flex max-w-prose flex-col items-start gap-3 text-sm leading-6">
      <p className="font-serif text-xl">No sessions yet</p>
      <p>
        A session is a conversation with one agent. It is saved: you can leave, continue later, replay it or
        export it.
      </p>
      {newSession && (
        <Button look="main" onClick={newSession}>
          <Icon name="plus" />
          Start the first
        </Button>
      )}
    </div>
  )
}

interface ListedSessionRowProps {
  readonly session: ListedSession
  readonly now: number
  readonly names: ReflectionNames
}

/** A session in one row: title, partner, size, cost and last activity. */
function ListedSessionRow({ session, now, names }: ListedSessionRowProps) {
  const { sessionId, title, openTurn, status, updatedAt, createdAt, messageCount, costs } = session
  const cost = describeCosts(costs)
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
          title={`Last active ${timeInWords(updatedAt)}; started ${timeInWords(createdAt)}`}
          className="text-soft text-end text-sm"
        >
          {timeAgo(updatedAt, now)}
        </time>
        <span className="text-soft min-w-0 truncate text-sm max-lg:order-2 lg:col-span-4">
          {subtitleOf(session, names).join(' · ')}
        </span>
      </Link>
    </li>
  )
}

function subtitleOf(session: ListedSession, names: ReflectionNames): readonly string[] {
  const { reflectionId, ownerLabel, agentSlug, model, channel } = session
  const name = reflectionId && (names.get(reflectionId) ?? 'a reflection')
  return [
    name ? `with ${name}` : agentSlug,
    isOffline(session) ? 'offline model' : model,
    ...(channel === 'voice' ? ['spoken'] : []),
    ...(ownerLabel ? [`by ${ownerLabel}`] : []),
  ]
}

/** A session's cost, as far as prices are known; undefined if it was free. */
export function describeCosts(costs: SessionCosts): string | undefined {
  const all = Object.values(costs)
  const microcents = all.reduce((sum, cost) => sum + cost.microcents, 0)
  const isUnpriced = all.some(({ unpricedSteps = 0 }) => unpricedSteps > 0)
  if (microcents === 0) return isUnpriced ? 'price unknown' : undefined
  return isUnpriced ? `over ${formatShortMoney(microcents)}` : formatShortMoney(microcents)
}

interface FilterBarProps {
  readonly filters: SessionFilters
  readonly names: ReflectionNames
  readonly onChange: (filters: SessionFilters) => void
}

/** Searches once typing pauses this long. */
const PAUSE_MS = 250

function FilterBar({ filters, names, onChange }: FilterBarProps) {
  const { me } = useConsoleHost()
  const mayReadOthers = me.role === 'owner' || me.role === 'admin'
  const change = (part: { readonly [Name in keyof SessionFilters]: SessionFilters[Name] | undefined }) =>
    onChange(withoutGaps({ ...filters, ...part }))
  return (
    <div
      role="search"
      aria-label="Filter sessions"
      className="grid gap-3 max-lg:grid-cols-2 lg:grid-flow-col lg:auto-cols-fr"
    >
      <div className="max-lg:col-span-2 lg:col-span-2">
        <SearchField
          words={filters.search ?? ''}
          onWords={(words) => change({ search: words === '' ? undefined : words })}
        />
      </div>
      <Choice
        label="Channel"
        value={filters.channel ?? ''}
        onChange={({ target }) => change({ channel: (target.value || undefined) as Channel | undefined })}
      >
        <option value="">Any</option>
        <option value="text">Typed</option>
        <option value="voice">Spoken</option>
      </Choice>
      <Choice
        label="State"
        value={filters.turn ?? filters.status ?? ''}
        onChange={({ target }) => change(stateOf(target.value))}
      >
        <option value="">Any</option>
        <option value="active">Active</option>
        <option value="ended">Ended</option>
        <option value="waiting">Waiting for a person</option>
      </Choice>
      <Choice
        label="With"
        value={filters.reflectionId ?? ''}
        onChange={({ target }) =>
          change({ reflectionId: (target.value || undefined) as ReflectionId | undefined })
        }
      >
        <option value="">Anybody</option>
        {[...names].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {filters.reflectionId && !names.has(filters.reflectionId) && (
          <option value={filters.reflectionId}>One reflection</option>
        )}
      </Choice>
      {mayReadOthers && (
        <Choice
          label="Whose"
          value={filters.whose ?? ''}
          onChange={({ target }) => change({ whose: target.value === 'all' ? 'all' : undefined })}
        >
          <option value="">Mine</option>
          <option value="all">Everyone</option>
        </Choice>
      )}
    </div>
  )
}

const stateOf = (value: string) => ({
  turn: value === 'waiting' ? ('waiting' as const) : undefined,
  status: SessionStatus.safeParse(value).data,
})

const withoutGaps = (filters: object) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as SessionFilters

/** Updates the address once typing pauses, and follows other changes of the address. */
function SearchField({ words, onWords }: { words: string; onWords: (words: string) => void }) {
  const [text, setText] = useState(words)
  const [last, setLast] = useState(words)
  if (words !== last) {
    setLast(words)
    if (words !== text.trim()) setText(words)
  }
  useEffect(() => {
    if (text.trim() === words) return undefined
    const paused = setTimeout(() => onWords(text.trim()), PAUSE_MS)
    return () => clearTimeout(paused)
  }, [text, words, onWords])
  return (
    <TextField
      label="Search"
      type="search"
      maxLength={200}
      placeholder="Search titles and messages"
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={({ key, nativeEvent }) => {
        if (key === 'Enter' && !nativeEvent.isComposing) onWords(text.trim())
      }}
    />
  )
}

type ReflectionNames = ReadonlyMap<ReflectionId, string>

const NONE: ReflectionNames = new Map()

/** Names of the person's reflections. The list works without them, so errors are ignored. */
function useReflectionNames(): ReflectionNames {
  const { client } = useConsoleHost()
  const { data } = useQuery({
    queryKey: ['reflection-names'],
    queryFn: async () => {
      const { items } = await client.reflections.list({ limit: 200 })
      return new Map(items.map(({ id, displayName }) => [id, displayName]))
    },
    staleTime: 30_000,
  })
  return data ?? NONE
}
