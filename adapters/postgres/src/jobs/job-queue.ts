import { PgBoss } from 'pg-boss'
import type { Run } from '../queries.ts'
import { type JobName, type Jobs, JOBS_SCHEMA } from './queues.ts'

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
