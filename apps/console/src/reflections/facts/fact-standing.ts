import type { Fact, FactState } from '@parley/contracts'

/** How a fact stands: an active one that another took the place of is kept, and told no more. */
export const factStanding = ({
  state,
  supersededAt,
}: Pick<Fact, 'state' | 'supersededAt'>): FactState | 'superseded' =>
  state === 'active' && supersededAt !== undefined ? 'superseded' : state
