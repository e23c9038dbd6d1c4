import type { SessionCosts } from '@parley/contracts'

/** What each model has cost between two totals of a session, in micro-cents. Steps without a price cost nothing that is known. */
export function addedCosts(
  before: SessionCosts,
  after: SessionCosts,
): readonly (readonly [model: string, microcents: number])[] {
  return Object.entries(after).flatMap(([model, { microcents }]) => {
    const added = microcents - (before[model]?.microcents ?? 0)
    return added > 0 ? [[model, added] as const] : []
  })
}
