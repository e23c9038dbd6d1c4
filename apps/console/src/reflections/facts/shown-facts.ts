import type { PageOf, ReflectionsClient } from '@parley/api-client'
import type { Fact, ReflectionId } from '@parley/contracts'

/** What a person may want to see of the facts. */
export type Shown = 'active' | 'candidate' | 'rejected' | 'everything'

export interface ShownFact {
  readonly fact: Fact
  /** Another took its place; it is kept, and no longer told. */
  readonly isSuperseded: boolean
}

type ReadFacts = Pick<ReflectionsClient, 'facts'>

interface Page {
  readonly limit: number
  readonly cursor?: string
}

/**
 * A page of facts. That one is superseded shows only in that the list of the active ones leaves it out; a cursor is a
 * place in time, so as many active ones from the same place on hold every active one of the page.
 */
export async function readFacts(
  reflections: ReadFacts,
  reflectionId: ReflectionId,
  shown: Shown,
  page: Page,
): Promise<PageOf<ShownFact>> {
  if (shown !== 'everything') {
    const { items, ...rest } = await reflections.facts({ reflectionId, state: shown, ...page })
    return { items: items.map((fact) => ({ fact, isSuperseded: false })), ...rest }
  }
  const [{ items, ...rest }, active] = await Promise.all([
    reflections.facts({ reflectionId, ...page }),
    reflections.facts({ reflectionId, state: 'active', ...page }),
  ])
  const stands = new Set(active.items.map(({ id }) => id))
  return {
    items: items.map((fact) => ({ fact, isSuperseded: fact.state === 'active' && !stands.has(fact.id) })),
    ...rest,
  }
}
