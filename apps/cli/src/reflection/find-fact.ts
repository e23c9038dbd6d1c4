import type { ApiClient } from '@parley/api-client'
import type { Fact, ReflectionId } from '@parley/contracts'
import { shortId } from '../session/short-id.ts'
import { findByBeginning } from './find-by-beginning.ts'
import { upTo } from './up-to.ts'

/** The fact that counts now and whose id begins as given. */
export async function findFact(client: ApiClient, reflectionId: ReflectionId, given: string): Promise<Fact> {
  const { items } = await upTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.facts({ ...page, reflectionId, state: 'active' }),
  )
  const list = `parley reflections facts ${shortId(reflectionId)} --state active`
  return findByBeginning(items, given, { what: 'active fact', list })
}
