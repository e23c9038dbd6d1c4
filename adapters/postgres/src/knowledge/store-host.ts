import { randomBytes } from 'node:crypto'
import { PlatformError, type ReflectionId } from '@parley/contracts'
import type { JobQueue } from '../jobs/queues.ts'
import type { Run, Transact, TransactMember } from '../run-statements.ts'
import { statement } from '../statement.ts'

export interface StoreHost {
  readonly run: Run
  readonly transact: Transact
  readonly jobs: JobQueue
}

/** With access for limited members. */
export interface MembersHost extends StoreHost {
  readonly transactMember: TransactMember
  /** Derives their capabilities. */
  readonly capabilityKey: Buffer
}

export const createId = (prefix: string): string => `${prefix}${randomBytes(12).toString('hex')}`

/** The first row. Without a row, the reflection does not exist. */
export async function requireReflection<Row>(
  rows: Promise<readonly Row[]>,
  reflectionId: ReflectionId,
): Promise<Row> {
  const [row] = await rows
  if (row) return row
  throw new PlatformError('reflection_not_found', { reflectionId })
}

/**
 * Enqueues a rebuild of the reflection's artifacts in the transaction that changed their input. A waiting build is enough,
 * since a build reads only after the transactions that rely on it are done. Call it last in a transaction.
 */
export async function requestRebuild(
  jobs: JobQueue,
  execute: Run,
  reflectionId: ReflectionId,
): Promise<void> {
  await execute(SHARE_REBUILD_LOCK, [reflectionId])
  const [waiting] = await execute(FIND_WAITING_REBUILD, [reflectionId])
  if (!waiting) await jobs.send('rebuild-voice', { reflectionId }, execute, reflectionId)
}

/** Waits until the transactions that rely on the waiting build are done. */
export const awaitRebuildRequests = (transact: Transact, reflectionId: ReflectionId): Promise<void> =>
  transact(async (execute) => void (await execute(TAKE_REBUILD_LOCK, [reflectionId])))

const SHARE_REBUILD_LOCK = statement('select pg_advisory_xact_lock_shared(hashtextextended($1, 1))')

const TAKE_REBUILD_LOCK = statement('select pg_advisory_xact_lock(hashtextextended($1, 1))')

const FIND_WAITING_REBUILD = statement(`
  select from pgboss.job where name = 'rebuild-voice' and singleton_key = $1 and state < 'active' limit 1`)
