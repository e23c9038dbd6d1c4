import type { Fact, FactOrder } from '@parley/contracts'

/** The heading that a fact stands under in a list of this order. */
const HEADINGS: Record<FactOrder, (fact: Fact) => string> = {
  subject: ({ subject }) => subject,
  time: ({ validFrom }) => validFrom?.slice(0, 'YYYY'.length) ?? 'No date known',
  added: () => '',
}

/** The heading that begins with this fact; undefined where it goes on under the one before. */
export function factGroup(fact: Fact, before: Fact | undefined, order: FactOrder): string | undefined {
  const heading = HEADINGS[order](fact)
  if (heading === '' || (before && HEADINGS[order](before) === heading)) return undefined
  return heading
}
