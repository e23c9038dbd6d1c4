import type { JobQueue } from '../jobs/job-queue.ts'
import type { Run } from '../queries.ts'
import type { Transact } from './transact.ts'

export interface StoreHost {
  readonly run: Run
  readonly transact: Transact
  readonly jobs: JobQueue
}
