import type { ApiClient } from '@parley/api-client'
import type { ReflectionId, SourceId } from '@parley/contracts'
import { upTo } from './up-to.ts'

export type TitleOf = (sourceId: SourceId) => string

/** The titles of a reflection's sources. What a person said is a source too, which is on no list. */
export async function sourceTitles(client: ApiClient, reflectionId: ReflectionId): Promise<TitleOf> {
  const { items } = await upTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.sources({ ...page, reflectionId }),
  )
  const titles = new Map(items.map(({ id, title }) => [id, title]))
  return (sourceId) => titles.get(sourceId) ?? 'a correction'
}
