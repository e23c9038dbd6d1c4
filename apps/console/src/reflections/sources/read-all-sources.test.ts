import type { ReflectionsClient } from '@parley/api-client'
import type { ReflectionId, Source, SourceId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { readAllSources } from './read-all-sources.ts'

const STATES: Readonly<Record<number, Source['state']>> = { 4: 'removing', 6: 'failed', 8: 'failed' }

const source = (index: number): Source => ({
  id: `src_${index}` as SourceId,
  title: `Letter ${index}`,
  namespace: index % 2 === 0 ? 'work' : 'family',
  mediaType: 'text/plain',
  bytes: 1,
  addedAt: '2026-01-01T00:00:00.000Z',
  state: STATES[index] ?? 'completed',
  chunks: index === 6 ? 0 : 1,
  facts: 1,
})

/** Lists as the API does: the cursor is the place of the last one that was given. */
const listOf = (all: readonly Source[]): Pick<ReflectionsClient, 'sources'> => ({
  sources: async ({ namespace, limit = 50, cursor = '0' }) => {
    const start = Number(cursor)
    const there = all.filter((each) => namespace === undefined || each.namespace === namespace)
    const end = start + limit
    return {
      items: there.slice(start, end),
      ...(end < there.length && { nextCursor: String(end) }),
    }
  },
})

test('[P5] all that is in a namespace is read, on however many pages, but what is being removed or told nothing', async () => {
  const all = Array.from({ length: 900 }, (_, index) => source(index))
  const found = await readAllSources(listOf(all), 'rfl_1' as ReflectionId, 'work')
  expect(found.map(({ id }) => id)).toEqual(
    all
      .filter(
        ({ namespace, id }) =>
          namespace === 'work' && ![4, 6].includes(all.findIndex((each) => each.id === id)),
      )
      .map(({ id }) => id),
  )
})
