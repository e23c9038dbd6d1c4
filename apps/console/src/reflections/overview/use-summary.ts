import type { ReflectionId, ReflectionSummary } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../app/console-host.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { getReflectionKey } from '../use-reflections.ts'

const REFRESH_MS = 10_000

/** The counts of a reflection. Every page that shows a number of sources or facts reads it here. */
export function useReflectionSummary(id: ReflectionId, pollMs: (summary: ReflectionSummary) => number) {
  const { client } = useConsoleHost()
  return useQuery({
    queryKey: [...getReflectionKey(id), 'summary'],
    queryFn: () => client.reflections.summary(id),
    refetchInterval: ({ state }) => (state.data ? pollMs(state.data) : REFRESH_MS),
  })
}

/** The counts of the open reflection; they change while sources are imported. */
export const useSummary = () => useReflectionSummary(useOpenReflection().reflection.id, () => REFRESH_MS)
