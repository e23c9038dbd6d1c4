import type {
  FailedJob,
  HealthFailure,
  QueueHealth,
  ReflectionId,
  SessionId,
  SourceId,
} from '@parley/contracts'
import { JOB_NAMES } from '../jobs/queues.ts'
import { problemOf } from '../jobs/problem-of.ts'

interface ReflectionColumns {
  readonly reflection_id: ReflectionId | null
  readonly display_name: string | null
}

export interface FailureRow extends ReflectionColumns {
  readonly kind: HealthFailure['kind']
  readonly at: Date
  readonly code: string
  readonly session_id: SessionId | null
}

export const toFailure = (row: FailureRow): HealthFailure => ({
  kind: row.kind,
  at: row.at.toISOString(),
  code: row.code,
  ...(row.session_id !== null && { sessionId: row.session_id }),
  ...ofReflection(row),
})

export interface FailedJobRow extends ReflectionColumns {
  readonly id: string
  readonly name: string
  readonly at: Date
  readonly tries: number
  readonly output: unknown
  readonly source_id: SourceId | null
  readonly title: string | null
}

export const toFailedJob = (row: FailedJobRow): FailedJob => ({
  jobId: row.id,
  queue: row.name,
  failedAt: row.at.toISOString(),
  tries: row.tries,
  problem: problemOf(row.output),
  ...ofReflection(row),
  ...(row.source_id !== null &&
    row.title !== null && {
      source: { sourceId: row.source_id, title: row.title },
    }),
})

const ofReflection = ({ reflection_id, display_name }: ReflectionColumns) =>
  reflection_id !== null && display_name !== null
    ? { reflection: { reflectionId: reflection_id, displayName: display_name } }
    : {}

export interface QueueRow {
  readonly name: string
  readonly waiting: number
  readonly active: number
  readonly retrying: number
  readonly failed: number
  readonly oldest_at: Date | null
}

/** Every queue, those with nothing in them too. */
export const toQueues = (rows: readonly QueueRow[]): readonly QueueHealth[] =>
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
