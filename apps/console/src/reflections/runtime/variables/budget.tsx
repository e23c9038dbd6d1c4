import { useEffect, useId, useState } from 'react'
import { type LookedVariable, VARIABLES_BUDGET, type VariablesLook } from '@parley/contracts'
import { Button } from '../../../ui/button.tsx'
import { useLookChange } from './look-form.tsx'
import type { LookInAddress } from './look-in-address.ts'

/** How much of the budget each variable takes, and what did not fit. */
export function BudgetBar({ look }: { look: VariablesLook }) {
  const { used, most, wanted } = look.budget
  const { sent, cut, limit } = budgetSegments(look)
  const words = `${count(used)} of ${count(most)} characters${wanted > used ? `, ${count(wanted - used)} cut` : ''}`
  return (
    <div className="flex flex-col gap-1.5">
      <p role="status" className="text-sm tabular-nums">
        {words}
      </p>
      <div role="img" aria-label={`Budget: ${words}`} className="relative">
        <div className="bg-shade border-line flex h-7 overflow-hidden rounded-sm border">
          {sent.map(({ name, length, share }, index) => (
            <span
              key={name}
              title={`${name}: ${count(length)}`}
              className="border-paper h-full shrink-0 border-e"
              style={{ width: `${share}%`, backgroundColor: tint(index) }}
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

export const count = (number: number): string => number.toLocaleString('en-GB')

const TINTS = [100, 62, 82, 46]

/** Neighbours differ; which is which stands in the list below. */
const tint = (index: number): string =>
  `color-mix(in oklab, var(--accent) ${TINTS[index % TINTS.length]}%, var(--paper))`

/** So long after the last touch the server is asked. */
const REST_MS = 200

/** What if there were less room: what is cut then, and in which order. */
export function BudgetField({ look }: { look: LookInAddress }) {
  const change = useLookChange(look)
  const asked = look.budget ?? VARIABLES_BUDGET
  const [budget, setBudget] = useState(asked)
  const [answered, setAnswered] = useState(asked)
  if (answered !== asked) {
    setAnswered(asked)
    setBudget(asked)
  }
  const id = useId()
  const isWhole = budget === VARIABLES_BUDGET
  useEffect(() => {
    if (budget === asked) return undefined
    const rest = setTimeout(() => change({ budget: isWhole ? undefined : budget }), REST_MS)
    return () => clearTimeout(rest)
  }, [budget, asked, isWhole, change])
  return (
    <div className="flex flex-col gap-1 text-sm">
      <label htmlFor={id} className="font-medium">
        What if there were room for {budget.toLocaleString('en-GB')} characters?
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
        <Button look="bare" aria-disabled={isWhole} onClick={() => setBudget(VARIABLES_BUDGET)}>
          As it is
        </Button>
      </div>
      <p className="text-soft max-w-prose leading-6">
        The budget itself is fixed. What has the lowest rank is cut first; ranks 10 and above, and what has
        none, are never cut.
      </p>
    </div>
  )
}

interface BudgetSegment {
  readonly name: string
  readonly length: number
  /** Of the bar, in percent. */
  readonly share: number
}

interface BudgetBarParts {
  /** What is sent, what survives longest first. */
  readonly sent: readonly BudgetSegment[]
  /** What was cut of all, in percent of the bar. */
  readonly cut: number
  /** Where the budget ends, in percent of the bar. */
  readonly limit: number
}

/** A bar as long as the budget, or as all that was wanted where that is more. */
export function budgetSegments({ variables, budget }: VariablesLook): BudgetBarParts {
  const whole = Math.max(FULL, budget.wanted, budget.used)
  const share = (length: number) => (100 * length) / whole
  return {
    sent: bySurvival(variables)
      .filter(({ value }) => value !== '')
      .map(({ name, value: { length } }) => ({ name, length, share: share(length) })),
    cut: share(budget.wanted - budget.used),
    limit: share(budget.most),
  }
}

const FULL = 10_000

/** What is never cut, then by rank: what stands last goes first. */
export const bySurvival = (variables: readonly LookedVariable[]): readonly LookedVariable[] =>
  variables.toSorted((one, other) => rankOf(other) - rankOf(one))

const rankOf = ({ rank }: LookedVariable): number => rank ?? Number.MAX_SAFE_INTEGER
