import type { JobQueue } from '../jobs/job-queue.ts'
import type { Transact } from '../knowledge/transact.ts'
import type { Run } from '../queries.ts'
import { type HealthLog, postgresHealthLog } from './health-log.ts'
import { type HealthReader, postgresHealthReader } from './health-reader.ts'
import { type RetryJob, retryJob } from './retry-job.ts'

/** How the processes on this database fare, and what became of their work. */
export interface HealthStore extends HealthLog, HealthReader {
  readonly retryJob: RetryJob
}

export const postgresHealthStore = (host: {
  readonly run: Run
  readonly transact: Transact
  readonly jobs: JobQueue
}): HealthStore => ({
  ...postgresHealthLog(host),
  ...postgresHealthReader(host.run),
  retryJob: retryJob(host),
})
