import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import type { ReflectionsClient } from '@parley/api-client'
import type { ReflectionId } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { useOpenReflection } from './open-reflection.ts'
import { getReflectionKey, useReflectionSummary } from './use-reflections.ts'

/** Reads a part of the open reflection. Everything that the result depends on is in its name. */
export function useReflectionQuery<Data>(
  name: readonly unknown[],
  read: (reflections: ReflectionsClient, reflectionId: ReflectionId) => Promise<Data>,
  options: Omit<UseQueryOptions<Data>, 'queryKey' | 'queryFn'> = {},
) {
  const { client } = useConsoleHost()
  const { id } = useOpenReflection().reflection
  return useQuery({
    queryKey: [...getReflectionKey(id), ...name],
    queryFn: () => read(client.reflections, id),
    ...options,
  })
}

export const useMembers = (isAllowed = true) =>
  useReflectionQuery(['members'], (reflections, id) => reflections.members(id), {
    enabled: isAllowed,
    retry: false,
  })

export const useShareLinks = (
  options: { readonly enabled?: boolean; readonly refetchInterval?: number } = {},
) => useReflectionQuery(['share-links'], (reflections, id) => reflections.shareLinks(id), options)

export const useSyncStatus = (options: { readonly refetchInterval?: number } = {}) =>
  useReflectionQuery(['sync'], (reflections, id) => reflections.syncStatus(id), { retry: false, ...options })

/** The counts of the open reflection; they change while sources are imported. */
export const useSummary = () => useReflectionSummary(useOpenReflection().reflection.id)
