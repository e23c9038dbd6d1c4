import { z } from 'zod'
import { ErrorCode } from './error-code.ts'
import { ReflectionId, SessionId, SourceId } from './ids.ts'
import { strictObject } from './strict-object.ts'

/** How far back a look at the server's health goes. */
export const HealthRange = z.enum(['1h', '24h', '7d'])
export type HealthRange = z.infer<typeof HealthRange>

export const ReadHealth = z.object({ range: HealthRange.default('24h') })

const At = z.iso.datetime()

/** One line of a chart: a value for each piece of the range, none where nothing was measured. */
export const HealthSeries = z.object({ label: z.string(), values: z.array(z.number().nullable()) })
export type HealthSeries = z.infer<typeof HealthSeries>

const Series = z.array(HealthSeries)

export const HealthCharts = z.object({
  /** Requests by how they were answered. */
  requests: Series,
  /** Milliseconds until an answer began, of half of the requests and of nineteen in twenty. */
  responseMs: Series,
  /** Turns by how they ended. */
  turns: Series,
  /** Milliseconds until a model said its first word. */
  firstWordMs: Series,
  /** Micro-cents, by provider and model. */
  cost: Series,
  /** Sessions that were started, by channel. */
  sessions: Series,
  /** Milliseconds that a search in knowledge took. */
  retrievalMs: Series,
})
export type HealthCharts = z.infer<typeof HealthCharts>

/** The health of one provider, as far as it was asked for anything. */
export const ProviderHealth = z.object({
  name: z.string(),
  kind: z.enum(['model', 'voice']),
  state: z.enum(['working', 'failing', 'untried', 'not_set_up']),
  workedAt: At.optional(),
  failedAt: At.optional(),
  failingSince: At.optional(),
  /** Of its last failure, or what is missing. */
  code: ErrorCode.optional(),
  problem: z.string().optional(),
  /** It is left alone until then. */
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
  /** Since when the first of those that wait does so. */
  oldestAt: At.optional(),
})
export type QueueHealth = z.infer<typeof QueueHealth>

/** Whose it is, where whoever asks may see that. */
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
  /** Where whoever asks may read it. */
  sessionId: SessionId.optional(),
  reflection: OfReflection.optional(),
})
export type HealthFailure = z.infer<typeof HealthFailure>

export const RouteHealth = z.object({
  route: z.string(),
  requests: z.int(),
  /** Answered with 4xx, and with 5xx. */
  refused: z.int(),
  failed: z.int(),
  averageMs: z.number(),
})
export type RouteHealth = z.infer<typeof RouteHealth>

export const Health = z.object({
  range: HealthRange,
  from: At,
  /** Each piece of a chart is this long. */
  pieceSeconds: z.int(),
  charts: HealthCharts,
  /** The ones with the most failures first. */
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

export const JobRef = z.object({ jobId: z.uuid('the id of a job, as GET /v1/health lists it') })

export const JobRetried = z.object({ jobId: z.uuid(), queue: z.string() })
export type JobRetried = z.infer<typeof JobRetried>
