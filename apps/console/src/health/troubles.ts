import type { Health } from '@parley/contracts'

/** Something that is not well, and the part of the page that tells of it. */
export interface Trouble {
  readonly words: string
  readonly part: 'providers' | 'jobs' | 'failures' | 'requests' | 'processes'
}

/** A job that waits this long waits for a worker that is not there, or cannot keep up. */
const LONG_WAIT_MS = 5 * 60_000

/** What somebody who runs the server should look at, the worst first. */
export function troublesOf(health: Health, now: number): readonly Trouble[] {
  const { processes, providers, queues, failedJobs, failures, routes } = health
  const failing = providers.filter(({ state }) => state === 'failing')
  const isWorkerAlive = processes.some(({ kind, isAlive }) => kind === 'worker' && isAlive)
  const oldest = queues.map(({ oldestAt }) => (oldestAt ? now - Date.parse(oldestAt) : 0))
  const isWaitingLong = Math.max(0, ...oldest) > LONG_WAIT_MS
  const serverErrors = routes.reduce((sum, { failed }) => sum + failed, 0)
  const found: readonly (Trouble | false)[] = [
    !isWorkerAlive && { words: 'No worker is running: nothing is learned.', part: 'processes' },
    ...failing.map(({ name }) => ({ words: `${name} does not answer.`, part: 'providers' as const })),
    failedJobs.length > 0 && {
      words: counted(failedJobs.length, 'job failed', 'jobs failed'),
      part: 'jobs',
    },
    isWorkerAlive && isWaitingLong && { words: 'Jobs wait for longer than five minutes.', part: 'jobs' },
    serverErrors > 0 && {
      words: counted(serverErrors, 'request failed', 'requests failed'),
      part: 'requests',
    },
    failures.length > 0 && {
      words: counted(failures.length, 'turn or start failed', 'turns or starts failed'),
      part: 'failures',
    },
  ]
  return found.filter((trouble) => trouble !== false)
}

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}.`
