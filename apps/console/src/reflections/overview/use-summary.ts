import type { ReflectionId, ReflectionSummary } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../app/console-host.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'

const REFRESH_MS = 10_000

/** How much there is of a reflection: every page that counts its sources or facts takes the numbers from here. */
export function useSummaryOf(id: ReflectionId, lookAgainMs: (summary: ReflectionSummary) => number) {
  const { client } = useConsoleHost()
  return useQuery({
    queryKey: [...reflectionKey(id), 'summary'],
    queryFn: () => client.reflections.summary(id),
    refetchInterval: ({ state }) => (state.data ? lookAgainMs(state.data) : REFRESH_MS),
  })
}

/** Of the open reflection; sources are learned while one looks on. */
export const useSummary = () => useSummaryOf(useOpenReflection().reflection.id, () => REFRESH_MS)
