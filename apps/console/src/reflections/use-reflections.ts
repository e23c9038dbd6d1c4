import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReflectionsClient } from '@parley/api-client'
import type { Reflection, ReflectionId, ReflectionSummary } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { type Pages, usePages } from '../ui/use-pages.ts'
import { hasErrorCode } from '../ui/error-message.ts'

/** Query key prefix of every list of reflections. */
export const REFLECTIONS_KEY = ['reflections'] as const

/** Query key prefix of everything read about one reflection. */
export const getReflectionKey = (reflectionId: ReflectionId) => ['reflection', reflectionId] as const

/** A new server creates the demo reflection after its start, so an empty list is polled more often. */
const LIST_REFRESH_MS = { none: 2_500, some: 30_000 } as const

/** The reflections that this person may see, newest first. */
export function useReflections(): Pages<Reflection> {
  const { client } = useConsoleHost()
  return usePages({
    key: REFLECTIONS_KEY,
    read: (page) => client.reflections.list(page),
    pollMs: (items) => (items.length === 0 ? LIST_REFRESH_MS.none : LIST_REFRESH_MS.some),
  })
}

const SUMMARY_REFRESH_MS = 10_000

/** The counts of a reflection. Every page that shows a number of sources or facts reads it here. */
export function useReflectionSummary(
  id: ReflectionId,
  pollMs: (summary: ReflectionSummary) => number = () => SUMMARY_REFRESH_MS,
) {
  const { client } = useConsoleHost()
  return useQuery({
    queryKey: [...getReflectionKey(id), 'summary'],
    queryFn: () => client.reflections.summary(id),
    refetchInterval: ({ state }) => (state.data ? pollMs(state.data) : SUMMARY_REFRESH_MS),
  })
}

/** Other people work on the same reflection. */
const PATCHES_REFRESH_MS = 10_000

export function useReflection(reflectionId: ReflectionId) {
  const { client } = useConsoleHost()
  return useQuery({
    queryKey: [...getReflectionKey(reflectionId), 'itself'],
    queryFn: () => client.reflections.get(reflectionId),
    retry: (count, failure) => count < 1 && !isNotFound(failure),
  })
}

/** The reflection does not exist, or this person may not see it. */
export const isNotFound = (failure: unknown): boolean =>
  hasErrorCode(failure, 'reflection_not_found', 'validation')

export function useWaitingPatches(reflectionId: ReflectionId) {
  const { client } = useConsoleHost()
  return usePages({
    key: [...getReflectionKey(reflectionId), 'patches', 'proposed'],
    read: (page) => client.reflections.patches({ reflectionId, status: 'proposed', ...page }),
    pollMs: () => PATCHES_REFRESH_MS,
  })
}

/** Changes a reflection, then reloads its visible data and drops the rest from the cache. */
export function useReflectionChange<Input = void>(
  reflectionId: ReflectionId,
  change: (reflections: ReflectionsClient, input: Input) => Promise<unknown>,
) {
  const { client } = useConsoleHost()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => change(client.reflections, input),
    onSuccess: () => {
      queries.removeQueries({ queryKey: getReflectionKey(reflectionId), type: 'inactive' })
      return Promise.all([
        queries.invalidateQueries({ queryKey: getReflectionKey(reflectionId) }),
        queries.invalidateQueries({ queryKey: REFLECTIONS_KEY }),
      ])
    },
  })
}
