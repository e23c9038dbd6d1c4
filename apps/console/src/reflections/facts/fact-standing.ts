import type { Fact, FactState } from '@parley/contracts'

export type FactStanding = FactState | 'repeated' | 'superseded'

/** How a fact stands: one that another took the place of is kept, and told no more. */
export function factStanding({
  state,
  supersededAt,
  repeatsFactId,
}: Pick<Fact, 'state' | 'supersededAt' | 'repeatsFactId'>): FactStanding {
  const counts = state === 'active' || repeatsFactId !== undefined
  if (counts && supersededAt !== undefined) return 'superseded'
  return repeatsFactId === undefined ? state : 'repeated'
}
