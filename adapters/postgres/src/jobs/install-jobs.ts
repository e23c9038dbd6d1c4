import type { Client } from 'pg'
import { GAVE_UP, JOB_NAMES, JOBS_SCHEMA, QUEUE_OPTIONS, QUEUE_POLICY } from './queues.ts'

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
