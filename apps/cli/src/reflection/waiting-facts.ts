import type { ApiClient } from '@parley/api-client'
import type { Patch, ReflectionId } from '@parley/contracts'
import { counted } from '../render/counted.ts'
import { shortId } from '../session/short-id.ts'
import { upTo } from './up-to.ts'

/** How many facts of the reflection wait for a person, of all patches or of those that are meant. */
export async function waitingFacts(
  client: ApiClient,
  reflectionId: ReflectionId,
  isMeant: (patch: Patch) => boolean = () => true,
): Promise<number> {
  const { items } = await upTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.patches({ ...page, reflectionId, status: 'proposed' }),
  )
  return items
    .filter(isMeant)
    .flatMap(({ facts }) => facts)
    .filter(({ state }) => state === 'candidate').length
}

/** That they wait, and how to see them. */
export const waitingText = (count: number, reflectionId: ReflectionId): string =>
  `${counted(count, 'fact')} ${count === 1 ? 'waits' : 'wait'}: parley reflections patches ${shortId(reflectionId)} --status proposed`
