import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { type Fact, type FactOrder, NamespaceName } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Choice, TextField } from '../../ui/field.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { useWindows } from '../../ui/use-windows.ts'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { LoadError } from '../query-state.tsx'
import { reflectionKey } from '../reflection-keys.ts'
import { FactView } from './fact-view.tsx'
import { type FactFilters, factsShown, toFactQuery } from './facts-shown.ts'

/** All facts, by subject, date or age, in a virtual list. */
export function FactsPage({ shown }: { shown: FactFilters }) {
  return (
    <PageBody width="wide">
      <FactsFilters shown={shown} />
      <FactList key={JSON.stringify(shown)} shown={shown} />
    </PageBody>
  )
}

/** The usual height of a fact in pixels. */
const TYPICAL_HEIGHT = 128

function FactList({ shown }: { shown: FactFilters }) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const { order, ...wanted } = toFactQuery(shown)
  const { count, itemAt, onShown, error, again } = useWindows<Fact>({
    key: [...reflectionKey(reflectionId), 'facts', 'from', order, wanted],
    read: (from) => client.reflections.factsFrom({ reflectionId, order, ...wanted, ...from }),
  })
  const failure = error && <LoadError error={error} retry={again} />
  if (count === undefined) return failure ?? <p className="animate-late text-soft text-sm">Loading…</p>
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="text-soft text-sm">
        {count === 1 ? '1 fact' : `${count.toLocaleString('en-GB')} facts`}
      </p>
      {count === 0 ? (
        <NoFacts shown={shown} />
      ) : (
        <VirtualList
          label="Facts"
          count={count}
          itemAt={itemAt}
          estimate={TYPICAL_HEIGHT}
          onShown={onShown}
          row={(fact, index) => (
            <>
              <GroupHeading heading={factGroup(fact, itemAt(index - 1), order)} />
              <FactView fact={fact} />
            </>
          )}
        />
      )}
      {failure}
    </div>
  )
}

function GroupHeading({ heading }: { heading: string | undefined }) {
  if (heading === undefined) return null
  return <h2 className="pt-4 font-serif text-lg wrap-anywhere">{visibleText(heading)}</h2>
}

/** The group heading of a fact, by the order of the list. */
const HEADINGS: Record<FactOrder, (fact: Fact) => string> = {
  subject: ({ subject }) => subject,
  time: ({ validFrom }) => validFrom?.slice(0, 'YYYY'.length) ?? 'No date',
  added: () => '',
}

/** The heading above this fact; undefined if it continues the previous group. */
export function factGroup(fact: Fact, before: Fact | undefined, order: FactOrder): string | undefined {
  const heading = HEADINGS[order](fact)
  if (heading === '' || (before && HEADINGS[order](before) === heading)) return undefined
  return heading
}

const STATES: Record<
  NonNullable<FactFilters['state']> | 'active',
  { readonly label: string; readonly empty: string }
> = {
  active: {
    label: 'Active',
    empty: 'No active facts yet. Add a source, or approve a change that is waiting for review.',
  },
  candidate: { label: 'Waiting for approval', empty: 'No fact is waiting for approval.' },
  superseded: {
    label: 'Past',
    empty: 'No past facts yet. When a later source or an edit replaces a fact, the old version is kept here.',
  },
  rejected: { label: 'Rejected', empty: 'No fact was rejected.' },
  everything: { label: 'All', empty: 'No facts yet.' },
}

const ORDERS: Record<FactOrder, string> = {
  subject: 'By subject',
  time: 'By date',
  added: 'Newest first',
}

/** The filters are kept in the URL, so that they can be bookmarked and shared. */
function FactsFilters({ shown }: { shown: FactFilters }) {
  const { id: reflectionId, namespaces } = useOpenReflection().reflection
  const navigate = useNavigate()
  const show = (change: Readonly<Record<string, unknown>>) =>
    void navigate({
      to: '/reflections/$reflectionId/facts',
      params: { reflectionId },
      search: factsShown({ ...shown, ...change }),
      replace: true,
    })
  return (
    <form
      role="search"
      aria-label="Filter facts"
      className="grid grid-cols-2 gap-3 lg:grid-cols-[minmax(0,1fr)_13rem_11rem_12rem]"
      onSubmit={(event) => event.preventDefault()}
    >
      <SearchField search={shown.search ?? ''} onSearch={(search) => show({ search })} />
      <Choice
        label="Show"
        value={shown.state ?? 'active'}
        onChange={(event) => show({ state: event.target.value })}
      >
        {Object.entries(STATES).map(([state, { label }]) => (
          <option key={state} value={state}>
            {label}
          </option>
        ))}
      </Choice>
      <Choice
        label="Folder"
        value={shown.namespace ?? ''}
        onChange={(event) => show({ namespace: NamespaceName.safeParse(event.target.value).data })}
      >
        <option value="">All</option>
        {namespaces.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </Choice>
      <Choice
        label="Order"
        value={shown.order ?? 'subject'}
        onChange={(event) => show({ order: event.target.value })}
      >
        {Object.entries(ORDERS).map(([order, label]) => (
          <option key={order} value={order}>
            {label}
          </option>
        ))}
      </Choice>
    </form>
  )
}

const TYPING_MS = 250

/** Searches after a pause in typing. */
function SearchField({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const [typed, setTyped] = useState(search)
  const submit = useEffectEvent(() => typed !== search && onSearch(typed))
  useEffect(() => {
    const timer = setTimeout(() => submit(), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <TextField
      label="Search facts"
      type="search"
      maxLength={200}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}

function NoFacts({ shown }: { shown: FactFilters }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const isNarrowed = shown.search !== undefined || shown.namespace !== undefined
  if (!isNarrowed)
    return <p className="max-w-prose text-sm leading-6">{STATES[shown.state ?? 'active'].empty}</p>
  return (
    <p className="text-sm leading-6">
      No matching facts.{' '}
      <Link
        to="/reflections/$reflectionId/facts"
        params={{ reflectionId }}
        search={{ ...(shown.state && { state: shown.state }), ...(shown.order && { order: shown.order }) }}
        className="text-accent underline underline-offset-2"
      >
        Clear filters
      </Link>
    </p>
  )
}
