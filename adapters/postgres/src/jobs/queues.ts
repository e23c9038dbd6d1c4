import type { Client } from 'pg'
import { PgBoss } from 'pg-boss'
import type { PatchId, PersonId, ReflectionId, ReviewPatch, SourceId } from '@parley/contracts'
import type { Run } from '../run-statements.ts'

/** The data of each queue's jobs. */
export interface JobData {
  readonly 'ingest-source': { readonly sourceId: SourceId }
  readonly 'review-patch': { readonly patchId: PatchId; readonly said: ReviewPatch; readonly by: PersonId }
  readonly 'propose-correction': { readonly patchId: PatchId }
  readonly 'remove-source': { readonly sourceId: SourceId }
  readonly 'remove-reflection': { readonly reflectionId: ReflectionId }
  /** Rebuilds the reflection's artifacts from the facts known and published when it runs. */
  readonly 'rebuild-voice': { readonly reflectionId: ReflectionId }
}
export type JobName = keyof JobData

export const JOB_NAMES = [
  'ingest-source',
  'review-patch',
  'propose-correction',
  'remove-source',
  'remove-reflection',
  'rebuild-voice',
] as const satisfies readonly JobName[]

/** The queue for jobs whose attempts all failed. */
export const GAVE_UP = 'gave-up'

export const JOBS_SCHEMA = 'pgboss'

/** Jobs with the same key run one at a time; any number may wait, since the last one may have newer data. */
const QUEUE_POLICY = 'singleton'

const QUEUE_OPTIONS = {
  // A new job wakes the workers.
  notify: true,
  retryLimit: 3,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 30,
  expireInSeconds: 4 * 60 * 60,
  // A worker that is silent for this long is dead, and another gets its job.
  heartbeatSeconds: 10,
  deleteAfterSeconds: 24 * 60 * 60,
  deadLetter: GAVE_UP,
} as const

/** Creates the tables and queues of background jobs, as their owner. Safe to run concurrently. */
export async function installJobs(owner: Client): Promise<void> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => owner.query(text, values) },
    schema: JOBS_SCHEMA,
    supervise: false,
    schedule: false,
  })
  await owner.query('select pg_advisory_lock(hashtext($1))', [INSTALL_LOCK])
  try {
    await boss.start()
    await boss.createQueue(GAVE_UP, { retryLimit: 3, retryBackoff: true })
    for (const name of JOB_NAMES) {
      await boss.createQueue(name, { ...QUEUE_OPTIONS, policy: QUEUE_POLICY })
      // An existing queue may have other options.
      await boss.updateQueue(name, QUEUE_OPTIONS)
    }
    await owner.query(OPEN_AND_MARK)
  } finally {
    await boss.stop({ close: false, graceful: false })
    await owner.query('select pg_advisory_unlock(hashtext($1))', [INSTALL_LOCK])
  }
}

/** Whether the tables and queues match this version. */
export async function areJobsInstalled(owner: Client): Promise<boolean> {
  const { rows } = await owner.query<{ mark: string | null }>(READ_MARK)
  return rows[0]?.mark === MARK
}

const INSTALL_LOCK = 'parley: installing jobs'

// Identifies the installed state: another pg-boss version, queue or option changes it, and installs again.
const MARK = ['pg-boss 12.30.0', GAVE_UP, ...JOB_NAMES, JSON.stringify(QUEUE_OPTIONS)].join(', ')
const READ_MARK = `select obj_description(to_regnamespace('${JOBS_SCHEMA}'), 'pg_namespace') as mark`

// The server adds jobs; only workers take, change and delete them.
const OPEN_AND_MARK = `
  grant usage on schema ${JOBS_SCHEMA} to parley_serving, parley_learning;
  grant select, insert on all tables in schema ${JOBS_SCHEMA} to parley_serving;
  grant select, insert, update, delete on all tables in schema ${JOBS_SCHEMA} to parley_learning;
  grant usage on all sequences in schema ${JOBS_SCHEMA} to parley_learning;
  grant execute on all functions in schema ${JOBS_SCHEMA} to parley_learning;
  comment on schema ${JOBS_SCHEMA} is '${MARK}'`

export interface JobQueue {
  /**
   * Adds a job to the queue in the transaction of `execute`, so that both are stored or neither. Jobs with the same key run
   * one at a time, as do jobs of a queue without keys; those with a lower priority wait for the others.
   */
  send<Name extends JobName>(
    queue: Name,
    job: JobData[Name],
    execute: Run,
    key?: string,
    priority?: number,
  ): Promise<void>
}

export function createJobQueue(run: Run): JobQueue {
  const boss = new PgBoss({
    db: toExecutor(run),
    schema: JOBS_SCHEMA,
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
  })
  return {
    async send(queue, job, execute, key = queue, priority = 0) {
      // The group lets workers skip a job that has to wait; the key keeps two workers from running two of them.
      const alone = { singletonKey: key, group: { id: key } }
      await boss.send(queue, job, { db: toExecutor(execute), priority, ...alone })
    },
  }
}

const toExecutor = (run: Run) => ({
  executeSql: async (text: string, values: unknown[] = []) => ({
    rows: [...(await run({ name: '', text }, values))],
  }),
})
