import { z } from 'zod'
import { ErrorCode } from './errors.ts'
import { ReflectionId, SessionId, SourceId } from './ids.ts'
import { strictObject } from './strict-object.ts'

/** The period that the status covers. */
export const HealthRange = z.enum(['1h', '24h', '7d'])
export type HealthRange = z.infer<typeof HealthRange>

const At = z.iso.datetime()

/** One line of a chart: a value for each part of the range, null if nothing was measured. */
export const HealthSeries = z.object({ label: z.string(), values: z.array(z.number().nullable()) })
export type HealthSeries = z.infer<typeof HealthSeries>

const Series = z.array(HealthSeries)

export const HealthCharts = z.object({
  /** Requests by result. */
  requests: Series,
  /** Milliseconds until a response began: median and 95th percentile. */
  responseMs: Series,
  /** Turns by result. */
  turns: Series,
  /** Milliseconds until a model's first output. */
  firstWordMs: Series,
  /** Micro-cents by provider and model. */
  cost: Series,
  /** Started sessions by channel. */
  sessions: Series,
  /** Milliseconds of a knowledge search. */
  retrievalMs: Series,
})
export type HealthCharts = z.infer<typeof HealthCharts>

/** The status of a provider, from the requests sent to it. */
export const ProviderHealth = z.object({
  name: z.string(),
  kind: z.enum(['model', 'voice']),
  state: z.enum(['working', 'failing', 'untried', 'not_set_up']),
  workedAt: At.optional(),
  failedAt: At.optional(),
  failingSince: At.optional(),
  /** The code of its last failure, or of missing settings. */
  code: ErrorCode.optional(),
  problem: z.string().optional(),
  /** No requests are sent to it until then. */
  coolsUntil: At.optional(),
})
export type ProviderHealth = z.infer<typeof ProviderHealth>

export const ProcessHealth = z.object({
  kind: z.enum(['api', 'worker']),
  instance: z.string(),
  startedAt: At,
  seenAt: At,
  isAlive: z.boolean(),
})
export type ProcessHealth = z.infer<typeof ProcessHealth>

export const QueueHealth = z.object({
  name: z.string(),
  waiting: z.int(),
  active: z.int(),
  retrying: z.int(),
  failed: z.int(),
  /** When the oldest waiting job was queued. */
  oldestAt: At.optional(),
})
export type QueueHealth = z.infer<typeof QueueHealth>

/** Present if the caller may see the reflection. */
const OfReflection = z.object({ reflectionId: ReflectionId, displayName: z.string() })

export const FailedJob = z.object({
  jobId: z.uuid(),
  queue: z.string(),
  failedAt: At,
  tries: z.int(),
  problem: z.string(),
  reflection: OfReflection.optional(),
  source: z.object({ sourceId: SourceId, title: z.string() }).optional(),
})
export type FailedJob = z.infer<typeof FailedJob>

/** A turn that failed, or a session that did not start. */
export const HealthFailure = z.object({
  kind: z.enum(['turn', 'start']),
  at: At,
  code: z.string(),
  /** Present if the caller may read the session. */
  sessionId: SessionId.optional(),
  reflection: OfReflection.optional(),
})
export type HealthFailure = z.infer<typeof HealthFailure>

export const RouteHealth = z.object({
  route: z.string(),
  requests: z.int(),
  /** Responses with a 4xx status, and with a 5xx status. */
  refused: z.int(),
  failed: z.int(),
  averageMs: z.number(),
})
export type RouteHealth = z.infer<typeof RouteHealth>

export const Health = z.object({
  range: HealthRange,
  from: At,
  /** The length of one part of a chart. */
  pieceSeconds: z.int(),
  charts: HealthCharts,
  /** Most failures first. */
  routes: z.array(RouteHealth),
  failures: z.array(HealthFailure),
  providers: z.array(ProviderHealth),
  database: z.object({ version: z.string(), bytes: z.int(), answeredMs: z.number() }),
  processes: z.array(ProcessHealth),
  queues: z.array(QueueHealth),
  failedJobs: z.array(FailedJob),
})
export type Health = z.infer<typeof Health>

export const ProbeProvider = strictObject({ provider: z.string().min(1).max(200) })
export type ProbeProvider = z.infer<typeof ProbeProvider>

export const JobRetried = z.object({ jobId: z.uuid(), queue: z.string() })
export type JobRetried = z.infer<typeof JobRetried>
