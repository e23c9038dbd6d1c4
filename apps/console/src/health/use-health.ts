import { type HealthRange, PlatformError } from '@parley/contracts'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useConsoleHost } from '../app/console-host.ts'

/** What starts the names of all that was read of the server's health. */
const HEALTH = ['health'] as const

const LOOK_AGAIN_MS = 15_000

export function useHealth(range: HealthRange, isAllowed = true) {
  const { client } = useConsoleHost()
  return useQuery({
    queryKey: [...HEALTH, range],
    queryFn: () => client.health.get(range),
    enabled: isAllowed,
    placeholderData: keepPreviousData,
    refetchInterval: LOOK_AGAIN_MS,
  })
}

/** Whether nobody was there to answer. */
export const isUnreachable = (failure: Error): boolean =>
  failure instanceof PlatformError && failure.code === 'server_unreachable'

export function useProbe(provider: string) {
  const { client } = useConsoleHost()
  return useHealthChange(() => client.health.probe({ provider }))
}

export function useRetryJob(jobId: string) {
  const { client } = useConsoleHost()
  return useHealthChange(() => client.health.retryJob(jobId))
}

function useHealthChange<Answer>(change: () => Promise<Answer>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => queries.invalidateQueries({ queryKey: HEALTH }),
  })
}
