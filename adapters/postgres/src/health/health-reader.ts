import type { FailedJob, HealthFailure, PersonId, ProcessHealth, QueueHealth } from '@parley/contracts'
import { JOB_NAMES } from '../jobs/queues.ts'
import { readProblem } from '../jobs/start-job-worker.ts'
import { type RowOf, listRecords, toRecord } from '../records.ts'
import type { Run } from '../run-statements.ts'
import { BOUNDS_MS, type SampleKind, type Spread } from './minute-samples.ts'
import * as sql from './statements.ts'

/** The sum of all processes for one label in one piece of the window. */
export interface SummedSample {
  readonly what: SampleKind
  readonly label: string
  /** The number of the piece, from 0. */
  readonly piece: number
  readonly count: number
  readonly sum: number
  readonly spread: Spread
}

export interface HealthWindow {
  /** In ISO 8601. */
  readonly from: string
  readonly to: string
  readonly pieceSeconds: number
}

/** The viewer, who sees names only of reflections that they may know. */
export interface HealthViewer {
  readonly personId: PersonId
  readonly isOwner: boolean
}

export interface StoredProvider {
  readonly name: string
  readonly workedAt?: string
  readonly failedAt?: string
  readonly failingSince?: string
  readonly code?: string
  readonly problem?: string
  readonly coolsUntil?: string
}

export interface HealthReader {
  sumSamples(window: HealthWindow): Promise<readonly SummedSample[]>
  /** Failed turns and failed session starts, latest first. */
  listFailures(since: string, viewer: HealthViewer, limit: number): Promise<readonly HealthFailure[]>
  listProviders(): Promise<readonly StoredProvider[]>
  listProcesses(): Promise<readonly ProcessHealth[]>
  /** All queues, including empty ones. */
  listQueues(): Promise<readonly QueueHealth[]>
  /** Failed jobs that were not retried, latest first. */
  listFailedJobs(viewer: HealthViewer, limit: number): Promise<readonly FailedJob[]>
  describeDatabase(): Promise<{ readonly version: string; readonly bytes: number }>
  /** Deletes data older than the longest window. */
  prune(): Promise<void>
}

export const postgresHealthReader = (run: Run): HealthReader => ({
  sumSamples: ({ from, to, pieceSeconds }) =>
    run<SummedSample>(sql.buildSumSamples(BOUNDS_MS.length + 1), [from, to, pieceSeconds]),

  listFailures: (since, { personId, isOwner }, limit) =>
    listRecords<HealthFailure>(run(sql.FAILURES, [since, personId, isOwner, limit])),

  listProviders: () => listRecords<StoredProvider>(run(sql.LIST_PROVIDERS)),
  listProcesses: () => listRecords<ProcessHealth>(run(sql.PROCESSES)),

  async listQueues() {
    const queues = await listRecords<QueueHealth>(run(sql.QUEUES, [[...JOB_NAMES]]))
    return JOB_NAMES.map(
      (name) =>
        queues.find((queue) => queue.name === name) ?? {
          name,
          waiting: 0,
          active: 0,
          retrying: 0,
          failed: 0,
        },
    )
  },

  async listFailedJobs({ personId, isOwner }, limit) {
    const rows = await run<FailedJobRow>(sql.FAILED_JOBS, [[...JOB_NAMES], personId, isOwner, limit])
    return rows.map(({ output, ...row }) => ({
      ...toRecord<StoredFailedJob>(row),
      problem: readProblem(output),
    }))
  },

  async describeDatabase() {
    const [database] = await run<{ version: string; bytes: number }>(sql.READ_DATABASE_SIZE)
    return database ?? { version: '', bytes: 0 }
  },

  async prune() {
    for (const statement of sql.PRUNE) await run(statement)
  },
})

type StoredFailedJob = Omit<FailedJob, 'problem'>
type FailedJobRow = RowOf<StoredFailedJob> & { readonly output: unknown }
