import type { ReflectionId } from '@parley/contracts'
import type { JobQueue } from '../jobs/job-queue.ts'
import type { Run } from '../queries.ts'
import type { Transact } from './transact.ts'

/**
 * Enqueues a build of what speaks for the reflection, with whatever changed what it is built from. One that waits
 * already knows of it, since no build looks before who relied on it is done. To be called last in a transaction.
 */
export async function askToRebuild(jobs: JobQueue, within: Run, reflectionId: ReflectionId): Promise<void> {
  await within(RELY, [reflectionId])
  const [waiting] = await within(WAITING, [reflectionId])
  if (!waiting) await jobs.send('rebuild-voice', { reflectionId }, within, reflectionId)
}

/** Returns once whoever relied on a build that waited is done. */
export const awaitAskers = (transact: Transact, reflectionId: ReflectionId): Promise<void> =>
  transact(async (within) => void (await within(AWAIT, [reflectionId])))

const RELY = {
  name: 'rely_on_rebuild',
  text: 'select pg_advisory_xact_lock_shared(hashtextextended($1, 1))',
}

const AWAIT = {
  name: 'await_rebuild_askers',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 1))',
}

const WAITING = {
  name: 'waiting_rebuild',
  text: `select from pgboss.job where name = 'rebuild-voice' and singleton_key = $1 and state < 'active' limit 1`,
}
