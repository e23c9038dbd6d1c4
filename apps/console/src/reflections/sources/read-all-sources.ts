import type { ReflectionsClient } from '@parley/api-client'
import type { ReflectionId, Source } from '@parley/contracts'

const LONGEST_PAGE = 200

/** All sources of a namespace, however many pages that takes. */
export async function readAllSources(
  reflections: Pick<ReflectionsClient, 'sources'>,
  reflectionId: ReflectionId,
  namespace: string,
): Promise<readonly Source[]> {
  const found: Source[] = []
  let cursor: string | undefined
  do {
    const page = await reflections.sources({
      reflectionId,
      namespace,
      limit: LONGEST_PAGE,
      ...(cursor !== undefined && { cursor }),
    })
    found.push(...page.items.filter(({ state }) => state !== 'removing'))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}
