import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Health, type HealthRange, formatShortMoney } from '@parley/contracts'
import { useConsoleHost } from '../app/console-host.ts'
import { pluralize } from '../ui/format.ts'
import { hasErrorCode } from '../ui/error-message.ts'

/** A problem, and the page section that shows it. */
export interface HealthProblem {
  readonly text: string
  readonly part: 'providers' | 'jobs' | 'failures' | 'requests' | 'processes'
}

/** A longer wait means that no worker runs or it cannot keep up. */
const LONG_WAIT_MS = 5 * 60_000

/** Problems for the server's admins, the worst first. */
export function findHealthProblems(health: Health, now: number): readonly HealthProblem[] {
  const { processes, providers, queues, failedJobs, failures, routes } = health
  const failing = providers.filter(({ state }) => state === 'failing')
  const isWorkerAlive = processes.some(({ kind, isAlive }) => kind === 'worker' && isAlive)
  const oldest = queues.map(({ oldestAt }) => (oldestAt ? now - Date.parse(oldestAt) : 0))
  const isWaitingLong = Math.max(0, ...oldest) > LONG_WAIT_MS
  const serverErrors = routes.reduce((sum, { failed }) => sum + failed, 0)
  const problems: readonly (HealthProblem | false)[] = [
    !isWorkerAlive && { text: 'No worker is running: imports are paused.', part: 'processes' },
    ...failing.map(({ name }) => ({ text: `${name} is failing.`, part: 'providers' as const })),
    failedJobs.length > 0 && {
      text: describeCount(failedJobs.length, 'job failed', 'jobs failed'),
      part: 'jobs',
    },
    isWorkerAlive && isWaitingLong && { text: 'Jobs have waited for over five minutes.', part: 'jobs' },
    serverErrors > 0 && {
      text: describeCount(serverErrors, 'request failed', 'requests failed'),
      part: 'requests',
    },
    failures.length > 0 && {
      text: describeCount(failures.length, 'turn or session start failed', 'turns or session starts failed'),
      part: 'failures',
    },
  ]
  return problems.filter((problem) => problem !== false)
}

const describeCount = (count: number, one: string, many: string) => `${pluralize(count, one, many)}.`

export type Unit = 'count' | 'ms' | 'money'

/** Formats a chart value; a dash without data. */
export function formatHealthValue(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–'
  switch (unit) {
    case 'count':
      return Math.round(value).toLocaleString('en-GB')
    case 'ms':
      return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`
    case 'money':
      return formatShortMoney(Math.round(value))
    default:
      return unit satisfies never
  }
}

/** The total of a line: the sum, or the maximum of times. */
export function calculateTotal(values: readonly (number | null)[], unit: Unit): number | null {
  const measured = values.filter((value) => value !== null)
  if (unit === 'ms') return measured.length === 0 ? null : Math.max(...measured)
  return measured.reduce((sum, value) => sum + value, 0)
}

/** Key prefix of all health queries. */
const HEALTH_KEY = ['health'] as const

const POLL_MS = 15_000

export function useHealth(range: HealthRange, isAllowed = true) {
  const { client } = useConsoleHost()
  return useQuery({
    queryKey: [...HEALTH_KEY, range],
    queryFn: () => client.health.get(range),
    enabled: isAllowed,
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  })
}

export const isUnreachable = (failure: Error): boolean => hasErrorCode(failure, 'server_unreachable')

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
    onSuccess: () => queries.invalidateQueries({ queryKey: HEALTH_KEY }),
  })
}
