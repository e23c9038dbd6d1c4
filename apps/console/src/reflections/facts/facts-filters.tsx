import { type FactOrder, NamespaceName } from '@parley/contracts'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { Choice, TextField } from '../../ui/field.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { type FactsShown, factsShown } from './facts-shown.ts'

const STATES: Record<
  NonNullable<FactsShown['state']> | 'active',
  { readonly label: string; readonly empty: string }
> = {
  active: {
    label: 'What counts now',
    empty: 'No facts count yet. They are found in sources: add one, or approve a patch that waits.',
  },
  candidate: { label: 'What waits for approval', empty: 'No fact waits to count.' },
  superseded: {
    label: 'What was so before',
    empty:
      'Nothing was superseded yet. When a later source says otherwise, or a fact is corrected, the one before is kept here.',
  },
  rejected: { label: 'What was rejected', empty: 'No fact was rejected.' },
  everything: { label: 'Everything', empty: 'No facts were found yet.' },
}

const ORDERS: Record<FactOrder, string> = {
  subject: 'By subject',
  time: 'By time',
  added: 'Latest learned first',
}

/** Which facts are shown. The address holds it, so that it can be kept and shared. */
export function FactsFilters({ shown }: { shown: FactsShown }) {
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
      aria-label="Which facts"
      className="grid grid-cols-2 gap-3 lg:grid-cols-[minmax(0,1fr)_13rem_11rem_12rem]"
      onSubmit={(event) => event.preventDefault()}
    >
      <WordsField search={shown.search ?? ''} onSearch={(search) => show({ search })} />
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
        label="Namespace"
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

/** Looks once somebody has stopped typing. */
function WordsField({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const [typed, setTyped] = useState(search)
  const tell = useEffectEvent(() => typed !== search && onSearch(typed))
  useEffect(() => {
    const soon = setTimeout(() => tell(), TYPING_MS)
    return () => clearTimeout(soon)
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

export function NoFacts({ shown }: { shown: FactsShown }) {
  const { id: reflectionId } = useOpenReflection().reflection
  const isNarrowed = shown.search !== undefined || shown.namespace !== undefined
  if (!isNarrowed)
    return <p className="max-w-prose text-sm leading-6">{STATES[shown.state ?? 'active'].empty}</p>
  return (
    <p className="text-sm leading-6">
      Nothing like that.{' '}
      <Link
        to="/reflections/$reflectionId/facts"
        params={{ reflectionId }}
        search={{ ...(shown.state && { state: shown.state }), ...(shown.order && { order: shown.order }) }}
        className="text-accent underline underline-offset-2"
      >
        Show them all
      </Link>
    </p>
  )
}
