import type { Client, ClientConfig, Pool } from 'pg'
import { type JobWithMetadata, PgBoss } from 'pg-boss'
import { toPlatformError } from '../login/database-error.ts'
import {
  type HeldConnection,
  toConnectionConfig,
  createPool,
  holdConnection,
} from '../login/guarded-client.ts'
import { GAVE_UP, JOBS_SCHEMA, JOB_NAMES, type JobName, type JobData } from './queues.ts'

type HandlersByName = {
  readonly [Name in JobName]: (job: JobData[Name], signal: AbortSignal) => Promise<void>
}

export interface JobHandlers extends HandlersByName {
  /** A job whose attempts all failed, with the last problem. */
  readonly gaveUp: (queue: JobName, job: JobData[JobName], problem: string) => Promise<void>
}

export interface JobWorkerOptions {
  readonly databaseUrl: string
  readonly handlers: JobHandlers
  /** The number of sources that this worker ingests at once. */
  readonly atOnce?: number
  readonly onError?: (error: unknown) => void
}

export interface JobWorker {
  /** Takes no more jobs. Running jobs end or are aborted; aborted jobs go back to the queue at once. */
  stop(): Promise<void>
}

const POLL_MS = 500
// pg-boss's own poll can be rare: NOTIFY and `pollForWaitingJobs` wake it.
const WORK_OPTIONS = { includeMetadata: true, pollingIntervalSeconds: 30 } as const
const STOP_MS = 10_000

/** Takes jobs from the queues, through the login of `parley_learning`. Any number of workers may run at once. */
export async function startJobWorker(options: JobWorkerOptions): Promise<JobWorker> {
  const { databaseUrl, onError = () => {} } = options
  const reportError = (error: unknown) => onError(toPlatformError(error, databaseUrl))
  const config = toConnectionConfig(databaseUrl, 'parley_learning', 'parley-worker')
  // One connection for slow statements of the supervisor, one for the others.
  const pool = createPool({ ...config, max: 2 }, reportError)
  const listener = createListener(config, reportError)
  const boss = createBoss(pool, listener)
  boss.on('error', reportError)
  const stopping = new AbortController()
  const consumers: Consumer[] = []
  const close = async () => {
    await listener.close()
    await pool.end()
  }
  try {
    await boss.start()
    await listener.requireStart()
    await startConsumers(options, { boss, pool, consumers, stopping: stopping.signal })
  } catch (error) {
    await boss.stop({ close: false, graceful: false }).catch(reportError)
    await close()
    throw toPlatformError(error, databaseUrl)
  }
  const polling = pollForWaitingJobs(pool, consumers, (id) => boss.notifyWorker(id), reportError)
  return {
    async stop() {
      stopping.abort()
      await polling.stop()
      try {
        await boss.stop({ close: false, graceful: true, timeout: STOP_MS })
      } finally {
        await close()
      }
    },
  }
}

type Listen = (
  channel: string,
  onNotification: (payload: string) => void,
  onReconnect: () => void,
) => Promise<void>

/** The connection that receives the notifications of new jobs. */
function createListener(config: ClientConfig, reportError: (error: unknown) => void) {
  let connecting: Promise<HeldConnection> | undefined
  const listen: Listen = async (channel, onNotification, onReconnect) => {
    const begin = async (client: Client) => {
      client.on('notification', ({ payload = '' }) => onNotification(payload))
      await client.query(`listen ${channel}`)
      onReconnect()
    }
    connecting = holdConnection(config, begin, reportError)
    await connecting
  }
  return {
    listen,
    /** pg-boss only warns where it cannot listen. */
    async requireStart() {
      if (!connecting) throw new Error('The worker cannot listen for jobs.')
      await connecting
    },
    async close() {
      const connection = await connecting?.catch(() => undefined)
      await connection?.close().catch(reportError)
    },
  }
}

const createBoss = (pool: Pool, { listen }: { readonly listen: Listen }): PgBoss =>
  new PgBoss({
    db: {
      // pg-boss caches which keys are busy, and takes no job of those until it refreshes the cache. `groupConcurrency`
      // checks the same in each fetch, so the cache is left empty.
      executeSql: (text, values) => pool.query(text.replace('q.singletons_active', 'null'), values),
      async listen(channel, onNotification, onReconnect) {
        await listen(channel, onNotification, onReconnect)
        // The worker closes the connection last. pg-boss would wait for that before it stops its consumers, and they would
        // take more jobs.
        return { close: async () => {} }
      },
    },
    schema: JOBS_SCHEMA,
    migrate: false,
    createSchema: false,
    schedule: false,
    useListenNotify: true,
    // Only the owner of the indexes may rebuild them.
    reindex: false,
    monitorVacuum: false,
    // Every two seconds it looks for jobs whose worker has stopped responding.
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 1,
  })

interface ConsumerHost {
  readonly boss: PgBoss
  readonly pool: Pool
  /** Receives the started consumers. */
  readonly consumers: Consumer[]
  readonly stopping: AbortSignal
}

async function startConsumers({ handlers, atOnce = 2 }: JobWorkerOptions, host: ConsumerHost): Promise<void> {
  for (let n = 0; n < atOnce; n += 1) await consume('ingest-source', handlers['ingest-source'], host)
  for (const name of JOB_NAMES) if (name !== 'ingest-source') await consume(name, handlers[name], host)
  const id = await host.boss.work<JobData[JobName], void, typeof WORK_OPTIONS>(
    GAVE_UP,
    WORK_OPTIONS,
    ([job]) => reportGivenUpJob(handlers, job),
  )
  host.consumers.push({ id, name: GAVE_UP })
}

async function consume<Name extends JobName>(
  name: Name,
  handle: HandlersByName[Name],
  { boss, pool, consumers, stopping }: ConsumerHost,
): Promise<void> {
  const id = await boss.work<JobData[Name], void, typeof WORK_OPTIONS & { readonly groupConcurrency: 1 }>(
    name,
    { ...WORK_OPTIONS, groupConcurrency: 1 },
    async ([job]) => {
      if (!job) return
      try {
        // A job fetched while the worker stops goes back to the queue.
        stopping.throwIfAborted()
        await handle(job.data, AbortSignal.any([job.signal, stopping]))
      } catch (error) {
        if (!stopping.aborted) throw error
        await pool.query(RETURN_JOB, [name, job.id, job.retryCount])
      } finally {
        // There may be another job: look at once.
        boss.notifyWorker(id)
      }
    },
  )
  consumers.push({ id, name })
}

interface Consumer {
  readonly id: string
  readonly name: JobName | typeof GAVE_UP
}

/** Finds jobs that no NOTIFY announces: retries, jobs in the dead-letter queue, and jobs whose key was busy when they arrived. */
function pollForWaitingJobs(
  pool: Pool,
  consumers: readonly Consumer[],
  wake: (id: string) => void,
  report: (error: unknown) => void,
) {
  const names = [...JOB_NAMES, GAVE_UP]
  let polling: Promise<void> | undefined
  const poll = async () => {
    const { rows } = await pool.query<{ name: string }>(FIND_WAITING, [names])
    const waiting = new Set(rows.map(({ name }) => name))
    for (const { id, name } of consumers) if (waiting.has(name)) wake(id)
  }
  const timer = setInterval(() => {
    polling ??= poll()
      .catch(report)
      .finally(() => {
        polling = undefined
      })
  }, POLL_MS)
  return {
    async stop() {
      clearInterval(timer)
      await polling
    },
  }
}

const FIND_WAITING = `
  select name from unnest($1::text[]) as queue (name) where exists (
    select from ${JOBS_SCHEMA}.job
    where job.name = queue.name and state < 'active' and not blocked and start_after <= now())`

// Restores the state before it was taken: an abort is not a failed attempt. A job that is no longer active stays.
// The id changes, since pg-boss then marks the old one as completed, while another worker may already run the job.
// Where `retry_count` differs, the job was taken from us and belongs to another worker.
const RETURN_JOB = `
  update ${JOBS_SCHEMA}.job
  set id = gen_random_uuid(), state = 'created', started_on = null, heartbeat_on = null
  where name = $1 and id = $2 and state = 'active' and retry_count = $3`

async function reportGivenUpJob(
  handlers: JobHandlers,
  job: JobWithMetadata<JobData[JobName]> | undefined,
): Promise<void> {
  const name = JOB_NAMES.find((known) => known === job?.sourceName)
  if (job && name) await handlers.gaveUp(name, job.data, readProblem(job.output))
}

/** The problem of a failed job. The queue stores an error as an object with its message, and its own remarks as text. */
export function readProblem(output: unknown): string {
  if (!isRecord(output)) return UNKNOWN_PROBLEM
  const { message, value } = output
  if (typeof message === 'string') return message
  return isRecord(value) && typeof value['message'] === 'string' ? value['message'] : UNKNOWN_PROBLEM
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const UNKNOWN_PROBLEM = 'The worker died at each attempt. See the log of the worker.'
