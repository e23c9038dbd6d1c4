import type { Client } from 'pg'
import { PgBoss } from 'pg-boss'
import type { PatchId, PersonId, ReflectionId, ReviewPatch, SourceId } from '@parley/contracts'
import type { Run } from '../run-statements.ts'

/** What each queue's jobs are told. */
export interface Jobs {
  readonly 'ingest-source': { readonly sourceId: SourceId }
  readonly 'review-patch': { readonly patchId: PatchId; readonly said: ReviewPatch; readonly by: PersonId }
  readonly 'propose-correction': { readonly patchId: PatchId }
  readonly 'remove-source': { readonly sourceId: SourceId }
  readonly 'remove-reflection': { readonly reflectionId: ReflectionId }
  /** What speaks for the reflection is built anew, from what is known and published by then. */
  readonly 'rebuild-voice': { readonly reflectionId: ReflectionId }
}
export type JobName = keyof Jobs

export const JOB_NAMES = [
  'ingest-source',
  'review-patch',
  'propose-correction',
  'remove-source',
  'remove-reflection',
  'rebuild-voice',
] as const satisfies readonly JobName[]

/** Where a job goes that failed each time it was tried. */
export const GAVE_UP = 'gave-up'

export const JOBS_SCHEMA = 'pgboss'

/** Of the jobs of one key one runs at a time; any number may wait, since the last may know of more than those before. */
const QUEUE_POLICY = 'singleton'

const QUEUE_OPTIONS = {
  // A new job wakes the workers.
  notify: true,
  retryLimit: 3,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 30,
  expireInSeconds: 4 * 60 * 60,
  // A worker that has been silent for so long is dead, and another gets its job.
  heartbeatSeconds: 10,
  deleteAfterSeconds: 24 * 60 * 60,
  deadLetter: GAVE_UP,
} as const

/** Makes the tables and queues of background jobs, as their owner. Any number of processes may do it at once. */
export async function installJobs(owner: Client): Promise<void> {
  // Slow to load and seldom needed.
  const { PgBoss } = await import('pg-boss')
  const boss = new PgBoss({
    db: { executeSql: (text, values) => owner.query(text, values) },
    schema: JOBS_SCHEMA,
    supervise: false,
    schedule: false,
  })
  await owner.query('select pg_advisory_lock(hashtext($1))', [LOCK])
  try {
    await boss.start()
    await boss.createQueue(GAVE_UP, { retryLimit: 3, retryBackoff: true })
    for (const name of JOB_NAMES) {
      await boss.createQueue(name, { ...QUEUE_OPTIONS, policy: QUEUE_POLICY })
      // A queue that was there before may have other options.
      await boss.updateQueue(name, QUEUE_OPTIONS)
    }
    await owner.query(OPEN_AND_MARK)
  } finally {
    await boss.stop({ close: false, graceful: false })
    await owner.query('select pg_advisory_unlock(hashtext($1))', [LOCK])
  }
}

/** Whether the tables and queues are there as this program makes them. */
export async function areJobsInstalled(owner: Client): Promise<boolean> {
  const { rows } = await owner.query<{ mark: string | null }>(READ_MARK)
  return rows[0]?.mark === MARK
}

const LOCK = 'parley: installing jobs'

// What is installed: another version of pg-boss, other queues or options are another mark, and are installed over it.
const MARK = ['pg-boss 12.30.0', GAVE_UP, ...JOB_NAMES, JSON.stringify(QUEUE_OPTIONS)].join(', ')
const READ_MARK = `select obj_description(to_regnamespace('${JOBS_SCHEMA}'), 'pg_namespace') as mark`

// Serving puts jobs in; to take, keep and drop them is the workers'.
const OPEN_AND_MARK = `
  grant usage on schema ${JOBS_SCHEMA} to parley_serving, parley_learning;
  grant select, insert on all tables in schema ${JOBS_SCHEMA} to parley_serving;
  grant select, insert, update, delete on all tables in schema ${JOBS_SCHEMA} to parley_learning;
  grant usage on all sequences in schema ${JOBS_SCHEMA} to parley_learning;
  grant execute on all functions in schema ${JOBS_SCHEMA} to parley_learning;
  comment on schema ${JOBS_SCHEMA} is '${MARK}'`

export interface JobQueue {
  /**
   * Puts a job into the queue within the transaction that `within` runs in: no job without what it is for. Of the jobs
   * of one key, and of the jobs of a queue without one, one runs at a time; those with a lower priority wait for the
   * others.
   */
  send<Name extends JobName>(
    queue: Name,
    job: Jobs[Name],
    within: Run,
    key?: string,
    priority?: number,
  ): Promise<void>
}

export function createJobQueue(run: Run): JobQueue {
  const boss = new PgBoss({
    db: through(run),
    schema: JOBS_SCHEMA,
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
  })
  return {
    async send(queue, job, within, key = queue, priority = 0) {
      // By its group a job that has to wait is passed over; that two workers take no two of them, its key sees to.
      const alone = { singletonKey: key, group: { id: key } }
      await boss.send(queue, job, { db: through(within), priority, ...alone })
    },
  }
}

const through = (run: Run) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    rows: [...(await run({ name: '', text }, values))],
  }),
})
