import { randomBytes } from 'node:crypto'
import { type ReflectionId } from '@parley/contracts'
import type { Page, PageOf } from '@parley/knowledge'
import type { JobQueue } from '../jobs/queues.ts'
import type { Run, Transact, TransactMember } from '../run-statements.ts'
import { invalidCursor } from '../login/database-error.ts'
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

export const newId = (prefix: string): string => `${prefix}${randomBytes(12).toString('hex')}`

interface Listed {
  readonly id: string
  readonly created_at: Date
}

/** The limit plus one, and the start of the page: after this time and id, both descending. */
export function pageValues({ limit, cursor }: Page): readonly [limit: number, at: string, id: string] {
  if (cursor === undefined) return [limit + 1, 'infinity', '']
  const [at = '', id = ''] = cursor.split(' ')
  if (CURSOR.test(cursor) && !Number.isNaN(Date.parse(at))) return [limit + 1, at, id]
  throw invalidCursor()
}

export function pageOf<Row extends Listed, Item>(
  { limit }: Page,
  rows: readonly Row[],
  toItem: (row: Row) => Item,
): PageOf<Item> {
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  return {
    items: kept.map(toItem),
    ...(rows.length > limit && last && { nextCursor: `${last.created_at.toISOString()} ${last.id}` }),
  }
}

const CURSOR = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [a-z]{3}_[a-z0-9]+$/

/**
 * Enqueues a rebuild of the reflection's artifacts in the transaction that changed their input. A waiting build is enough,
 * since a build reads only after all who relied on it are done. Call it last in a transaction.
 */
export async function askToRebuild(jobs: JobQueue, within: Run, reflectionId: ReflectionId): Promise<void> {
  await within(RELY, [reflectionId])
  const [waiting] = await within(WAITING, [reflectionId])
  if (!waiting) await jobs.send('rebuild-voice', { reflectionId }, within, reflectionId)
}

/** Waits until the transactions that rely on the waiting build are done. */
export const awaitAskers = (transact: Transact, reflectionId: ReflectionId): Promise<void> =>
  transact(async (within) => void (await within(AWAIT, [reflectionId])))

const RELY = statement('select pg_advisory_xact_lock_shared(hashtextextended($1, 1))')

const AWAIT = statement('select pg_advisory_xact_lock(hashtextextended($1, 1))')

const WAITING = statement(`
  select from pgboss.job where name = 'rebuild-voice' and singleton_key = $1 and state < 'active' limit 1`)
