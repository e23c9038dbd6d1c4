import { randomBytes } from 'node:crypto'
import { PlatformError, type ReflectionId } from '@parley/contracts'
import type { Page, PageOf } from '@parley/knowledge'
import type { JobQueue } from '../jobs/queues.ts'
import type { Run, Transact, TransactMember } from '../run-statements.ts'

export interface StoreHost {
  readonly run: Run
  readonly transact: Transact
  readonly jobs: JobQueue
}

/** With how members are let in who do not reach everything. */
export interface MembersHost extends StoreHost {
  readonly transactMember: TransactMember
  /** From this follow their capabilities. */
  readonly capabilityKey: Buffer
}

export const newId = (prefix: string): string => `${prefix}${randomBytes(12).toString('hex')}`

interface Listed {
  readonly id: string
  readonly created_at: Date
}

/** One more than is asked for, and where the page begins: after this time and id, both going down. */
export function pageValues({ limit, cursor }: Page): readonly [limit: number, at: string, id: string] {
  if (cursor === undefined) return [limit + 1, 'infinity', '']
  const [at = '', id = ''] = cursor.split(' ')
  if (CURSOR.test(cursor) && !Number.isNaN(Date.parse(at))) return [limit + 1, at, id]
  throw new PlatformError('validation', {
    message: 'This cursor is none of ours. Leave it out to start at the first page.',
  })
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
