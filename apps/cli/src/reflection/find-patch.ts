import type { ApiClient } from '@parley/api-client'
import type { Patch, ReflectionId } from '@parley/contracts'
import { shortId } from '../session/short-id.ts'
import { findByBeginning } from './find-by-beginning.ts'
import { upTo } from './up-to.ts'

/** The patch of a reflection whose id begins as given. */
export async function findPatch(
  client: ApiClient,
  reflectionId: ReflectionId,
  given: string,
): Promise<Patch> {
  const { items } = await upTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.patches({ ...page, reflectionId }),
  )
  const list = `parley reflections patches ${shortId(reflectionId)}`
  return findByBeginning(items, given, { what: 'patch', list })
}
