import type { ReflectionsClient } from '@parley/api-client'
import type { ReflectionId, Source } from '@parley/contracts'

const LONGEST_PAGE = 200

/** All sources of a namespace that say something, however many pages that takes. */
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
    found.push(...page.items.filter(saysSomething))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

/** Where a new version failed, the one before is still told. */
const saysSomething = ({ state, chunks }: Source): boolean =>
  state !== 'removing' && !(state === 'failed' && chunks === 0)
