import type { ReflectionsClient } from '@parley/api-client'
import type { Fact, FactId, ReflectionId } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../app/console-host.ts'
import { reflectionKey } from '../reflection-keys.ts'

const PAGE = 200
const MOST_PAGES = 10

/** Facts that a patch names by id only. The API has no way to one of them, so the list is gone through, latest first. */
export function useFactsById(reflectionId: ReflectionId, ids: readonly FactId[]): ReadonlyMap<FactId, Fact> {
  const { client } = useConsoleHost()
  const { data } = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'facts', 'by id', ...ids],
    queryFn: () => findFacts(client.reflections, reflectionId, ids),
    enabled: ids.length > 0,
  })
  return data ?? NONE
}

const NONE: ReadonlyMap<FactId, Fact> = new Map()

async function findFacts(
  reflections: ReflectionsClient,
  reflectionId: ReflectionId,
  ids: readonly FactId[],
): Promise<ReadonlyMap<FactId, Fact>> {
  const found = new Map<FactId, Fact>()
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES && found.size < ids.length; page += 1) {
    const { items, nextCursor } = await reflections.facts({
      reflectionId,
      limit: PAGE,
      ...(cursor && { cursor }),
    })
    for (const fact of items) if (ids.includes(fact.id)) found.set(fact.id, fact)
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return found
}
