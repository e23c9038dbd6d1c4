import type { LookedVariable, VariablesLook } from '@parley/contracts'

export interface BudgetSegment {
  readonly name: string
  readonly length: number
  /** Of the bar, in percent. */
  readonly share: number
}

export interface BudgetBarParts {
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
