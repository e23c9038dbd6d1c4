import { type JobWithMetadata, PgBoss } from 'pg-boss'
import { Pool } from 'pg'
import { asPlatformError } from '../login/database-error.ts'
import { urlAs } from '../login/database-url.ts'
import { GuardedClient } from '../login/guarded-client.ts'
import { problemOf } from './problem-of.ts'
import { GAVE_UP, JOB_NAMES, type JobName, type Jobs, JOBS_SCHEMA } from './queues.ts'

type ByName = {
  readonly [Name in JobName]: (job: Jobs[Name], signal: AbortSignal) => Promise<void>
}

export interface JobHandlers extends ByName {
  /** A job that failed each time it was tried, with what went wrong last. */
  readonly gaveUp: (queue: JobName, job: Jobs[JobName], problem: string) => Promise<void>
}

export interface WorkerOptions {
  readonly databaseUrl: string
  readonly handlers: JobHandlers
  /** How many sources this worker ingests at once. */
  readonly atOnce?: number
  readonly onError?: (error: unknown) => void
}

export interface Worker {
  /** Takes no more jobs. Those that run end or are put down; what was put down is given back to other workers at once. */
  stop(): Promise<void>
}

const POLL_SECONDS = 0.5
const STOP_MS = 10_000

/** Takes jobs from the queues, through the login of `parley_learning`. Any number of workers may do so at once. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { databaseUrl, handlers, atOnce = 2, onError = () => {} } = options
  const tell = (error: unknown) => onError(asPlatformError(error, databaseUrl))
  const pool = new Pool({
    connectionString: urlAs(databaseUrl, 'parley_learning'),
    application_name: 'parley-worker',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    Client: GuardedClient,
    max: 4,
  })
  pool.on('error', tell)
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema: JOBS_SCHEMA,
    migrate: false,
    createSchema: false,
    schedule: false,
    // Only the owner of the indexes may rebuild them.
    reindex: false,
    monitorVacuum: false,
    // The silent are found within a second.
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    // What it caches includes the keys that ran when it looked, and it takes no job of those until it looks again.
    queueCacheIntervalSeconds: 1,
  })
  boss.on('error', tell)
  const stopping = new AbortController()
  try {
    await boss.start()
    const take = async <Name extends JobName>(name: Name, carryOut: ByName[Name]) => {
      const id = await boss.work<Jobs[Name]>(
        name,
        { pollingIntervalSeconds: POLL_SECONDS, groupConcurrency: 1 },
        async ([job]) => {
          if (!job) return
          try {
            await carryOut(job.data, AbortSignal.any([job.signal, stopping.signal]))
          } catch (error) {
            if (!stopping.signal.aborted) throw error
            await pool.query(GIVE_BACK, [name, job.id])
          } finally {
            // Where there was one job there may be another: it looks at once.
            boss.notifyWorker(id)
          }
        },
      )
    }
    for (let n = 0; n < atOnce; n += 1) await take('ingest-source', handlers['ingest-source'])
    await take('review-patch', handlers['review-patch'])
    await take('propose-correction', handlers['propose-correction'])
    await take('remove-source', handlers['remove-source'])
    await take('remove-reflection', handlers['remove-reflection'])
    await take('rebuild-voice', handlers['rebuild-voice'])
    await boss.work<Jobs[JobName], void, { includeMetadata: true; pollingIntervalSeconds: number }>(
      GAVE_UP,
      { includeMetadata: true, pollingIntervalSeconds: POLL_SECONDS },
      ([job]) => giveUp(handlers, job),
    )
  } catch (error) {
    await boss.stop({ close: false, graceful: false })
    await pool.end()
    throw asPlatformError(error, databaseUrl)
  }
  return {
    async stop() {
      stopping.abort()
      await boss.stop({ close: false, graceful: true, timeout: STOP_MS })
      await pool.end()
    },
  }
}

// As it was before it was taken: being put down is no failed try, and what is not active any more is left as it is.
const GIVE_BACK = `
  update ${JOBS_SCHEMA}.job set state = 'created', started_on = null, heartbeat_on = null
  where name = $1 and id = $2 and state = 'active'`

async function giveUp(handlers: JobHandlers, job: JobWithMetadata<Jobs[JobName]> | undefined): Promise<void> {
  const name = JOB_NAMES.find((known) => known === job?.sourceName)
  if (job && name) await handlers.gaveUp(name, job.data, problemOf(job.output))
}
