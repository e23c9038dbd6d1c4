import type { Reflection } from '@parley/contracts'
import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useConsoleHost } from '../app/console-host.ts'
import { reflectionKey } from '../reflections/reflection-keys.ts'
import type { Held } from './known-commands.ts'

/** Fewer letters are in nearly every sentence. */
const FEWEST_LETTERS = 3
/** So many reflections are asked at once, the latest first. */
const MOST_ASKED = 5
const MOST_SOURCES = 200
const MOST_FACTS = 8
const LASTS_MS = 60_000

/** The sources of the reflections at hand, and of their facts those that have the words. */
export function useHeld(
  search: string,
  reflections: readonly Reflection[],
): { readonly held: readonly Held[]; readonly isReading: boolean } {
  const { client } = useConsoleHost()
  const asked = search.length < FEWEST_LETTERS ? NOBODY : reflections.slice(0, MOST_ASKED)
  return useQueries({
    queries: asked.map((reflection) => ({
      queryKey: [...reflectionKey(reflection.id), 'found', search],
      queryFn: async (): Promise<Held> => {
        const of = { reflectionId: reflection.id }
        const [sources, facts] = await Promise.all([
          client.reflections.sources({ ...of, limit: MOST_SOURCES }),
          client.reflections.facts({ ...of, state: 'active', search, limit: MOST_FACTS }),
        ])
        return { reflection, sources: sources.items, facts: facts.items }
      },
      placeholderData: keepPreviousData<Held>,
      staleTime: LASTS_MS,
      retry: false,
    })),
    combine: useCallback(
      (readings: readonly Reading[]) => ({
        held: readings.flatMap(({ data }) => data ?? []),
        isReading: readings.some(({ isFetching }) => isFetching),
      }),
      [],
    ),
  })
}

const NOBODY: readonly Reflection[] = []

interface Reading {
  readonly data: Held | undefined
  readonly isFetching: boolean
}
