import type { ReflectionId } from '@parley/contracts'
import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../app/console-host.ts'

export type ReflectionNames = ReadonlyMap<ReflectionId, string>

const NONE: ReflectionNames = new Map()

/** The reflections that a person is a member of, by name. Without them a list still works, so a failure is not told. */
export function useReflectionNames(): ReflectionNames {
  const { client } = useConsoleHost()
  const { data } = useQuery({
    queryKey: ['reflection-names'],
    queryFn: async () => {
      const { items } = await client.reflections.list({ limit: 200 })
      return new Map(items.map(({ id, displayName }) => [id, displayName]))
    },
    staleTime: 30_000,
  })
  return data ?? NONE
}
