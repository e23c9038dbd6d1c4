import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../app/console-host.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'

const LOOK_AGAIN_MS = 10_000

/** How much there is of the open reflection; sources are learned while one looks on. */
export function useSummary() {
  const { client } = useConsoleHost()
  const { id } = useOpenReflection().reflection
  return useQuery({
    queryKey: [...reflectionKey(id), 'summary'],
    queryFn: () => client.reflections.summary(id),
    refetchInterval: LOOK_AGAIN_MS,
  })
}
