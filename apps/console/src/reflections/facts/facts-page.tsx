import { Link, useNavigate, getRouteApi } from '@tanstack/react-router'
import type { Fact, FactChoice, FactOrder } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Choice, SearchField } from '../../ui/field.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { useWindowedList } from '../../ui/use-windowed-list.ts'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { ErrorNotice, Status } from '../../ui/notice.tsx'
import { getReflectionKey } from '../use-reflections.ts'
import { FactView } from './fact-view.tsx'
import { type FactFilters, parseFactFilters } from '../../app/search-params.ts'
import { Loading } from '../../ui/query-state.tsx'
import { Form } from '../../ui/form.tsx'
import { pluralize } from '../../ui/format.ts'

const route = getRouteApi('/reflections/$reflectionId/facts')

/** All facts, by subject, date or age, in a virtual list. */
export function FactsPage() {
  const filters = route.useSearch()
  return (
    <PageBody width="wide">
      <FilterBar filters={filters} />
      <FactList key={JSON.stringify(filters)} filters={filters} />
    </PageBody>
  )
}

const TYPICAL_HEIGHT = 128

function FactList({ filters }: { filters: FactFilters }) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const { order, ...query } = toFactQuery(filters)
  const { count, itemAt, onShown, error, retry } = useWindowedList<Fact>({
    key: [...getReflectionKey(reflectionId), 'facts', 'from', order, query],
    read: (from) => client.reflections.factsFrom({ reflectionId, order, ...query, ...from }),
  })
  const failure = <ErrorNotice error={error} retry={retry} />
  if (count === undefined) return error ? failure : <Loading />
  return (
    <div className="flex flex-col gap-3">
      <Status>{pluralize(count, 'fact')}</Status>
      {count === 0 ? (
        <NoFacts filters={filters} />
      ) : (
        <VirtualList
          label="Facts"
          count={count}
          itemAt={itemAt}
          estimate={TYPICAL_HEIGHT}
          onShown={onShown}
          row={(fact, index) => (
            <>
              <GroupHeading heading={findGroupHeading(fact, itemAt(index - 1), order)} />
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
  return <h2 className="pt-4 font-serif text-lg wrap-anywhere">{escapeInvisible(heading)}</h2>
}

/** The group heading of a fact, by the order of the list. */
const HEADINGS: Record<FactOrder, (fact: Fact) => string> = {
  subject: ({ subject }) => subject,
  time: ({ validFrom }) => validFrom?.slice(0, 'YYYY'.length) ?? 'No date',
  added: () => '',
}

/** The heading above this fact; undefined if it continues the previous group. */
export function findGroupHeading(fact: Fact, before: Fact | undefined, order: FactOrder): string | undefined {
  const heading = HEADINGS[order](fact)
  if (heading === '' || (before && HEADINGS[order](before) === heading)) return undefined
  return heading
}

type ShownState = NonNullable<FactFilters['state']> | 'active'

const STATE_LABELS: Record<ShownState, string> = {
  active: 'Active',
  candidate: 'Waiting for approval',
  superseded: 'Past',
  rejected: 'Rejected',
  everything: 'All',
}

const EMPTY_TEXTS: Record<ShownState, string> = {
  active: 'No active facts yet. Add a source, or approve a change that is waiting for review.',
  candidate: 'No fact is waiting for approval.',
  superseded:
    'No past facts yet. When a later source or an edit replaces a fact, the old version is kept here.',
  rejected: 'No fact was rejected.',
  everything: 'No facts yet.',
}

const ORDER_LABELS: Record<FactOrder, string> = {
  subject: 'By subject',
  time: 'By date',
  added: 'Newest first',
}

/** The filters are in the address, to bookmark and share them. */
function FilterBar({ filters }: { filters: FactFilters }) {
  const { id: reflectionId, namespaces } = useOpenReflection().reflection
  const navigate = useNavigate()
  const show = (change: Readonly<Record<string, unknown>>) =>
    void navigate({
      to: '/reflections/$reflectionId/facts',
      params: { reflectionId },
      search: parseFactFilters({ ...filters, ...change }),
      replace: true,
    })
  return (
    <Form
      role="search"
      aria-label="Filter facts"
      className="grid grid-cols-2 gap-3 lg:grid-cols-[minmax(0,1fr)_13rem_11rem_12rem]"
    >
      <SearchField
        label="Search facts"
        search={filters.search ?? ''}
        onSearch={(search) => show({ search })}
      />
      <Choice
        label="Show"
        value={filters.state ?? 'active'}
        options={STATE_LABELS}
        onChoose={(state) => show({ state })}
      />
      <Choice
        label="Folder"
        value={filters.namespace ?? ''}
        options={Object.fromEntries(namespaces.map(({ name }) => [name, name]))}
        onChoose={(namespace) => show({ namespace })}
      >
        <option value="">All</option>
      </Choice>
      <Choice
        label="Order"
        value={filters.order ?? 'subject'}
        options={ORDER_LABELS}
        onChoose={(order) => show({ order })}
      />
    </Form>
  )
}

export function toFactQuery({ state, order, namespace, search }: FactFilters) {
  const chosenState: FactChoice | 'everything' = state ?? 'active'
  const chosenOrder: FactOrder = order ?? 'subject'
  return {
    order: chosenOrder,
    ...(chosenState !== 'everything' && { state: chosenState }),
    ...(namespace !== undefined && { namespace }),
    ...(search !== undefined && search.trim() !== '' && { search }),
  }
}

function NoFacts({ filters: { state, order, search, namespace } }: { filters: FactFilters }) {
  const { id: reflectionId } = useOpenReflection().reflection
  if (search === undefined && namespace === undefined)
    return <p className="max-w-prose text-sm leading-6">{EMPTY_TEXTS[state ?? 'active']}</p>
  return (
    <p className="text-sm leading-6">
      No matching facts.{' '}
      <Link
        to="/reflections/$reflectionId/facts"
        params={{ reflectionId }}
        search={{ ...(state && { state }), ...(order && { order }) }}
        className="text-accent underline underline-offset-2"
      >
        Clear filters
      </Link>
    </p>
  )
}
