import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, getRouteApi } from '@tanstack/react-router'
import { useCallback, useRef } from 'react'
import {
  type Channel,
  type ListedSession,
  type ReflectionId,
  type SessionCosts,
  formatShortMoney,
} from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { isOffline, getSessionTitle } from '../session/text-labels.ts'
import { useShell } from '../shell/shell-context.ts'
import { formatAge, formatTime, pluralize } from '../ui/format.ts'
import { TurnMark } from '../shell/session-forms.tsx'
import { useSessions } from '../shell/use-sessions.ts'
import { Button } from '../ui/button.tsx'
import { Choice, SearchField } from '../ui/field.tsx'
import { PageList } from '../ui/page-list.tsx'
import { useRowKeys } from '../ui/keyboard.ts'
import { type SessionFilters, parseSessionFilters } from '../app/search-params.ts'
import { isAdmin } from '../app/roles.ts'
import { Page } from '../shell/page.tsx'
import { EmptyState } from '../ui/page-body.tsx'

const route = getRouteApi('/sessions')

/** All sessions a person may read, with filters in the address. */
export function SessionsPage() {
  const filters = route.useSearch()
  const navigate = useNavigate()
  const names = useReflectionNames()
  const list = useRef<HTMLDivElement>(null)
  useRowKeys(list)
  const change = useCallback(
    (next: SessionFilters) => void navigate({ to: '/sessions', search: next, replace: true }),
    [navigate],
  )
  const pages = useSessions(filters)
  return (
    <Page width="wide">
      <FilterBar filters={filters} names={names} onChange={change} />
      <div ref={list} className="flex flex-col gap-6">
        <PageList
          pages={pages}
          label="Sessions found"
          empty={
            Object.keys(filters).length > 0 ? <NoResults onClear={() => change({})} /> : <NoSessionsYet />
          }
          row={(session) => (
            <ListedSessionRow key={session.sessionId} session={session} now={pages.loadedAt} names={names} />
          )}
        />
      </div>
    </Page>
  )
}

const NoResults = ({ onClear }: { onClear: () => void }) => (
  <EmptyState title="No results">
    <p>No session matches. The search covers titles and messages.</p>
    <Button onClick={onClear}>Clear filters</Button>
  </EmptyState>
)

function NoSessionsYet() {
  const { newSession } = useShell()
  return (
    <EmptyState title="No sessions yet">
      <p>
        A session is a conversation with one agent. It is saved: you can leave, continue later, replay it or
        export it.
      </p>
      {newSession && (
        <Button icon="plus" variant="primary" onClick={newSession}>
          Start the first session
        </Button>
      )}
    </EmptyState>
  )
}

interface ListedSessionRowProps {
  readonly session: ListedSession
  readonly now: number
  readonly names: ReflectionNames
}

/** A session in one row: title, partner, size, cost and last activity. */
function ListedSessionRow({ session, now, names }: ListedSessionRowProps) {
  const { sessionId, openTurn, status, updatedAt, createdAt, messageCount, costs } = session
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
          <span className="min-w-0 truncate font-serif text-[1.0625rem]">{getSessionTitle(session)}</span>
          {openTurn && <TurnMark state={openTurn.state} />}
          {status === 'ended' && <span className="text-soft shrink-0 text-xs">ended</span>}
        </span>
        <span className="text-soft text-sm tabular-nums max-lg:order-3 max-lg:text-end lg:text-end">
          {pluralize(messageCount, 'message')}
          {cost !== undefined && <span className="lg:hidden"> · {cost}</span>}
        </span>
        <span className="text-soft text-sm tabular-nums max-lg:hidden lg:text-end">{cost}</span>
        <time
          dateTime={updatedAt}
          title={`Last active ${formatTime(updatedAt)}; started ${formatTime(createdAt)}`}
          className="text-soft text-end text-sm"
        >
          {formatAge(updatedAt, now)}
        </time>
        <span className="text-soft min-w-0 truncate text-sm max-lg:order-2 lg:col-span-4">
          {describeSession(session, names).join(' · ')}
        </span>
      </Link>
    </li>
  )
}

function describeSession(session: ListedSession, names: ReflectionNames): readonly string[] {
  const { reflectionId, ownerLabel, agentSlug, model, channel } = session
  const name = reflectionId && (names.get(reflectionId) ?? 'a reflection')
  return [
    name ? `with ${name}` : agentSlug,
    isOffline(session) ? 'offline model' : model,
    ...(channel === 'voice' ? ['voice'] : []),
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

function FilterBar({ filters, names, onChange }: FilterBarProps) {
  const { me } = useConsoleHost()
  const change = (part: { readonly [Name in keyof SessionFilters]: string }) =>
    onChange(parseSessionFilters({ ...filters, ...part }))
  return (
    <div
      role="search"
      aria-label="Filter sessions"
      className="grid gap-3 max-lg:grid-cols-2 lg:grid-flow-col lg:auto-cols-fr"
    >
      <div className="max-lg:col-span-2 lg:col-span-2">
        <SearchField
          label="Search"
          placeholder="Search titles and messages"
          search={filters.search ?? ''}
          onSearch={(search) => change({ search })}
        />
      </div>
      <Choice
        label="Channel"
        value={filters.channel ?? ''}
        options={{ '': 'Any', text: 'Text', voice: 'Voice' } satisfies Record<Channel | '', string>}
        onChoose={(channel) => change({ channel })}
      />
      <Choice
        label="Status"
        value={filters.turn ?? filters.status ?? ''}
        options={{ '': 'Any', active: 'Active', ended: 'Ended', waiting: 'Waiting for approval' }}
        onChoose={(status) => change({ status, turn: status })}
      />
      <Choice
        label="Reflection"
        value={filters.reflectionId ?? ''}
        options={Object.fromEntries(names)}
        onChoose={(reflectionId) => change({ reflectionId })}
      >
        <option value="">Any</option>
        {filters.reflectionId && !names.has(filters.reflectionId) && (
          <option value={filters.reflectionId}>One reflection</option>
        )}
      </Choice>
      {isAdmin(me.role) && (
        <Choice
          label="Owner"
          value={filters.whose ?? ''}
          options={{ '': 'Me', all: 'Everyone' }}
          onChoose={(whose) => change({ whose })}
        />
      )}
    </div>
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
