import type { PersonId } from '@parley/contracts'
import type { JobQueue } from '../jobs/job-queue.ts'
import { JOB_NAMES, type JobName, type Jobs } from '../jobs/queues.ts'
import { AUDIT } from '../knowledge/audit.ts'
import type { Transact } from '../knowledge/transact.ts'
import { CLAIM_RETRY, FIND_FAILED } from './statements.ts'

export type RetriedJob =
  | { readonly kind: 'retried'; readonly queue: JobName }
  /** No such job, or it did not fail. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'retried_before' }

/** Puts a job that failed into its queue again, once, on record. */
export type RetryJob = (jobId: string, by: PersonId) => Promise<RetriedJob>

export const retryJob =
  ({ transact, jobs }: { readonly transact: Transact; readonly jobs: JobQueue }): RetryJob =>
  (jobId, by) =>
    transact(async (within) => {
      const [job] = await within<FailedRow>(FIND_FAILED, [jobId, [...JOB_NAMES]])
      if (!job) return { kind: 'unknown' }
      if ((await within(CLAIM_RETRY, [jobId])).length === 0) return { kind: 'retried_before' }
      await jobs.send(job.name, job.data, within, job.singleton_key ?? undefined)
      await within(AUDIT, [null, by, 'job_retried', jobId])
      return { kind: 'retried', queue: job.name }
    })

interface FailedRow {
  readonly name: JobName
  readonly data: Jobs[JobName]
  readonly singleton_key: string | null
}
