import type {
  FailedJob,
  HealthFailure,
  PersonId,
  ProcessHealth,
  QueueHealth,
  ReflectionId,
  SessionId,
  SourceId,
} from '@parley/contracts'
import { JOB_NAMES } from '../jobs/queues.ts'
import { readProblem } from '../jobs/start-job-worker.ts'
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
  listQueues(): Promise<readonly QueueHealth[]>
  /** Failed jobs that were not retried, latest first. */
  listFailedJobs(viewer: HealthViewer, limit: number): Promise<readonly FailedJob[]>
  describeDatabase(): Promise<{ readonly version: string; readonly bytes: number }>
  /** Deletes data older than the longest window. */
  prune(): Promise<void>
}

export const postgresHealthReader = (run: Run): HealthReader => ({
  async sumSamples({ from, to, pieceSeconds }) {
    const rows = await run<SampleRow>(sql.buildSumSamples(BOUNDS_MS.length + 1), [from, to, pieceSeconds])
    return rows.map(({ what, label, piece, count, sum, spread }) => ({
      what,
      label,
      piece,
      count: Number(count),
      sum,
      spread: spread.map(Number),
    }))
  },

  async listFailures(since, { personId, isOwner }, limit) {
    return (await run<FailureRow>(sql.FAILURES, [since, personId, isOwner, limit])).map(toFailure)
  },

  async listProviders() {
    return (await run<ProviderRow>(sql.LIST_PROVIDERS)).map((row) => ({
      name: row.name,
      ...optionalTime('workedAt', row.worked_at),
      ...optionalTime('failedAt', row.failed_at),
      ...optionalTime('failingSince', row.failing_since),
      ...(row.code !== null && { code: row.code }),
      ...(row.problem !== null && { problem: row.problem }),
      ...optionalTime('coolsUntil', row.cools_until),
    }))
  },

  async listProcesses() {
    return (await run<ProcessRow>(sql.PROCESSES)).map((row) => ({
      kind: row.kind,
      instance: row.instance,
      startedAt: row.started_at.toISOString(),
      seenAt: row.seen_at.toISOString(),
      isAlive: row.is_alive,
    }))
  },

  listQueues: async () => toQueues(await run<QueueRow>(sql.QUEUES, [[...JOB_NAMES]])),

  async listFailedJobs({ personId, isOwner }, limit) {
    const rows = await run<FailedJobRow>(sql.FAILED_JOBS, [[...JOB_NAMES], personId, isOwner, limit])
    return rows.map(toFailedJob)
  },

  async describeDatabase() {
    const [row] = await run<{ version: string; bytes: string }>(sql.READ_DATABASE_SIZE)
    return { version: row?.version ?? '', bytes: Number(row?.bytes ?? 0) }
  },

  async prune() {
    for (const statement of sql.PRUNE) await run(statement)
  },
})

interface SampleRow {
  readonly what: SampleKind
  readonly label: string
  readonly piece: number
  readonly count: string
  readonly sum: number
  readonly spread: readonly string[]
}

interface ProviderRow {
  readonly name: string
  readonly worked_at: Date | null
  readonly failed_at: Date | null
  readonly failing_since: Date | null
  readonly code: string | null
  readonly problem: string | null
  readonly cools_until: Date | null
}

interface ProcessRow {
  readonly instance: string
  readonly kind: 'api' | 'worker'
  readonly started_at: Date
  readonly seen_at: Date
  readonly is_alive: boolean
}

const optionalTime = <Name extends string>(
  name: Name,
  at: Date | null,
): { readonly [key in Name]?: string } =>
  at ? ({ [name]: at.toISOString() } as { readonly [key in Name]: string }) : {}

interface ReflectionColumns {
  readonly reflection_id: ReflectionId | null
  readonly display_name: string | null
}

interface FailureRow extends ReflectionColumns {
  readonly kind: HealthFailure['kind']
  readonly at: Date
  readonly code: string
  readonly session_id: SessionId | null
}

const toFailure = (row: FailureRow): HealthFailure => ({
  kind: row.kind,
  at: row.at.toISOString(),
  code: row.code,
  ...(row.session_id !== null && { sessionId: row.session_id }),
  ...toReflectionPart(row),
})

interface FailedJobRow extends ReflectionColumns {
  readonly id: string
  readonly name: string
  readonly at: Date
  readonly tries: number
  readonly output: unknown
  readonly source_id: SourceId | null
  readonly title: string | null
}

const toFailedJob = (row: FailedJobRow): FailedJob => ({
  jobId: row.id,
  queue: row.name,
  failedAt: row.at.toISOString(),
  tries: row.tries,
  problem: readProblem(row.output),
  ...toReflectionPart(row),
  ...(row.source_id !== null &&
    row.title !== null && {
      source: { sourceId: row.source_id, title: row.title },
    }),
})

const toReflectionPart = ({ reflection_id, display_name }: ReflectionColumns) =>
  reflection_id !== null && display_name !== null
    ? { reflection: { reflectionId: reflection_id, displayName: display_name } }
    : {}

interface QueueRow {
  readonly name: string
  readonly waiting: number
  readonly active: number
  readonly retrying: number
  readonly failed: number
  readonly oldest_at: Date | null
}

/** All queues, including empty ones. */
const toQueues = (rows: readonly QueueRow[]): readonly QueueHealth[] =>
  JOB_NAMES.map((name) => {
    const row = rows.find((one) => one.name === name)
    return {
      name,
      waiting: row?.waiting ?? 0,
      active: row?.active ?? 0,
      retrying: row?.retrying ?? 0,
      failed: row?.failed ?? 0,
      ...(row?.oldest_at && { oldestAt: row.oldest_at.toISOString() }),
    }
  })
