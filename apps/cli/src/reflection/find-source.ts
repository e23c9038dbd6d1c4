import type { ApiClient } from '@parley/api-client'
import type { Reflection, Source } from '@parley/contracts'
import { shortId } from '../session/short-id.ts'
import { findByBeginning } from './find-by-beginning.ts'
import { upTo } from './up-to.ts'

/** The source of a reflection whose id begins as given. */
export async function findSource(
  client: ApiClient,
  { id: reflectionId }: Reflection,
  given: string,
): Promise<Source> {
  const { items } = await upTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.sources({ ...page, reflectionId }),
  )
  const list = `parley reflections sources ${shortId(reflectionId)}`
  return findByBeginning(items, given, { what: 'source', list })
}
