import { useQuery } from '@tanstack/react-query'
import { useConsoleHost } from '../../../app/console-host.ts'
import { useOpenReflection } from '../../open-reflection.ts'
import { reflectionKey } from '../../reflection-keys.ts'

/** One generation as it is stored, for those who may read it. */
export function useGeneration(generation: number) {
  const { client } = useConsoleHost()
  const { reflection, rights } = useOpenReflection()
  return useQuery({
    queryKey: [...reflectionKey(reflection.id), 'generation', generation],
    queryFn: () => client.reflections.generation({ reflectionId: reflection.id, generation }),
    enabled: rights.mayManage,
    retry: false,
  })
}
