import { useEffect, useEffectEvent, useId, useState } from 'react'
import { type PreviewedVariable, VARIABLES_BUDGET, type VariablesPreview } from '@parley/contracts'
import { Button } from '../../../ui/button.tsx'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { useSessionChange } from './session-form.tsx'
import type { PreviewSession } from '../../../app/search-params.ts'

/** The share of the budget that each variable takes, and the part that did not fit. */
export function BudgetBar({ preview }: { preview: VariablesPreview }) {
  const { used, most, wanted } = preview.budget
  const { sent, cut, limit } = measureBudget(preview)
  const summary = `${formatCount(used)} of ${formatCount(most)} characters${wanted > used ? `, ${formatCount(wanted - used)} cut` : ''}`
  return (
    <div className="flex flex-col gap-1.5">
      <p role="status" className="text-sm tabular-nums">
        {summary}
      </p>
      <div role="img" aria-label={`Budget: ${summary}`} className="relative">
        <div className="bg-shade border-line flex h-7 overflow-hidden rounded-sm border">
          {sent.map(({ name, length, share }, index) => (
            <span
              key={name}
              title={`${name}: ${formatCount(length)}`}
              className="border-paper h-full shrink-0 border-e"
              style={{ width: `${share}%`, backgroundColor: getTint(index) }}
            />
          ))}
          <span className="bg-removed h-full shrink-0" style={{ width: `${cut}%` }} />
        </div>
        <span
          className="bg-alarm absolute -top-1 -bottom-1 w-0.5"
          style={{ insetInlineStart: `calc(${limit}% - 2px)` }}
        />
      </div>
    </div>
  )
}

export const formatCount = (number: number): string => number.toLocaleString('en-GB')

const TINTS = [100, 62, 82, 46]

/** Neighbours get different tints; the list below has their names. */
const getTint = (index: number): string =>
  `color-mix(in oklab, var(--accent) ${TINTS[index % TINTS.length]}%, var(--paper))`

/** Simulates a smaller budget, to show which variables are cut first. */
export function BudgetField({ session }: { session: PreviewSession }) {
  const changeSession = useSessionChange(session)
  const saved = session.budget ?? VARIABLES_BUDGET
  const [budget, setBudget] = useState(saved)
  const [lastSaved, setLastSaved] = useState(saved)
  if (lastSaved !== saved) {
    setLastSaved(saved)
    setBudget(saved)
  }
  const id = useId()
  const isFull = budget === VARIABLES_BUDGET
  const settled = useDebounced(budget)
  const saveSettled = useEffectEvent(() => settled === saved || changeSession({ budget: settled }))
  useEffect(() => void saveSettled(), [settled])
  return (
    <div className="flex flex-col gap-1 text-sm">
      <label htmlFor={id} className="font-medium">
        Try a budget of {budget.toLocaleString('en-GB')} characters
      </label>
      <div className="flex flex-wrap items-center gap-x-3">
        <input
          id={id}
          type="range"
          min={0}
          max={VARIABLES_BUDGET}
          step={50}
          value={budget}
          onChange={({ target }) => setBudget(target.valueAsNumber)}
          className="h-9 w-80 max-w-full max-sm:h-11"
        />
        <Button variant="ghost" aria-disabled={isFull} onClick={() => setBudget(VARIABLES_BUDGET)}>
          Reset
        </Button>
      </div>
      <p className="text-soft max-w-prose leading-6">
        The real budget is fixed. Variables with the lowest rank are cut first. Variables with rank 10 or
        higher, or without a rank, are never cut.
      </p>
    </div>
  )
}

interface BudgetSegment {
  readonly name: string
  readonly length: number
  readonly share: number
}

interface BudgetBarParts {
  /** The variables that are sent, most important first. */
  readonly sent: readonly BudgetSegment[]
  /** The part that was cut, in percent of the bar. */
  readonly cut: number
  /** The end of the budget, in percent of the bar. */
  readonly limit: number
}

/** A bar as long as the budget, or longer if more was needed. */
export function measureBudget({ variables, budget }: VariablesPreview): BudgetBarParts {
  const whole = Math.max(VARIABLES_BUDGET, budget.wanted, budget.used)
  const share = (length: number) => (100 * length) / whole
  return {
    sent: sortByImportance(variables)
      .filter(({ value }) => value !== '')
      .map(({ name, value: { length } }) => ({ name, length, share: share(length) })),
    cut: share(budget.wanted - budget.used),
    limit: share(budget.most),
  }
}

/** Most important first: variables that are never cut, then by rank. */
export const sortByImportance = (variables: readonly PreviewedVariable[]): readonly PreviewedVariable[] =>
  variables.toSorted((one, other) => getRank(other) - getRank(one))

const getRank = ({ rank }: PreviewedVariable): number => rank ?? Number.MAX_SAFE_INTEGER
