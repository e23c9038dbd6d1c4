import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool, PoolClient, QueryResultRow } from 'pg'
import { PlatformError } from '@parley/contracts'
import { getErrorCode, toPlatformError } from './login/database-error.ts'
import { GuardedClient } from './login/guarded-client.ts'
import { type SqlStatement, statement } from './statement.ts'

export function createRun(pool: Pool, databaseUrl: string, watch?: CommitWatch): Run {
  return async <Row extends QueryResultRow>(
    prepared: SqlStatement,
    values: readonly unknown[] = [],
    signal?: AbortSignal,
  ) => {
    const query = { ...prepared, values: [...values] }
    const beforeCommit = watch?.current()
    try {
      if (beforeCommit) {
        const options = { beforeCommit, signal }
        return await runTransaction(pool, (execute) => execute<Row>(prepared, values), options)
      }
      if (!signal) return (await pool.query<Row>(query)).rows
      return await useClient(pool, signal, async (client) => (await client.query<Row>(query)).rows)
    } catch (error) {
      throw toPlatformError(error, databaseUrl)
    }
  }
}

/** Uses one connection. An abort cancels its running statement, or stops waiting for the connection. */
async function useClient<Outcome>(
  pool: Pool,
  signal: AbortSignal | undefined,
  work: (client: PoolClient, discard: () => void) => Promise<Outcome>,
): Promise<Outcome> {
  const client = await (signal ? connectUnlessAborted(pool, signal) : pool.connect())
  const cancel = () => {
    if (client instanceof GuardedClient) client.cancelStatement()
  }
  signal?.addEventListener('abort', cancel, { once: true })
  let isDiscarded = false
  try {
    return await work(client, () => (isDiscarded = true))
  } catch (error) {
    throw signal?.aborted ? createCancelledError(error) : error
  } finally {
    signal?.removeEventListener('abort', cancel)
    // A late cancel request must not hit the next statement of this connection.
    client.release(isDiscarded || signal?.aborted === true)
  }
}

function connectUnlessAborted(pool: Pool, signal: AbortSignal): Promise<PoolClient> {
  if (signal.aborted) return Promise.reject(createCancelledError(signal.reason))
  return new Promise((resolve, reject) => {
    const stopWaiting = () => reject(createCancelledError(signal.reason))
    signal.addEventListener('abort', stopWaiting, { once: true })
    pool
      .connect()
      .then((client) => (signal.aborted ? client.release() : resolve(client)), reject)
      .finally(() => signal.removeEventListener('abort', stopWaiting))
  })
}

const createCancelledError = (cause: unknown) =>
  new PlatformError('cancelled', { message: 'The statement was cancelled by its caller.' }, { cause })

/** The first retry comes soon, later ones less often, to spare the database. */
const RETRY_MS = 100
const MAX_RETRY_MS = 1_000
/** The longest wait of a caller. */
export const MAX_WAIT_MS = 10_000

/** Retries while the database does not answer. If `isRepeated`, an earlier attempt may have succeeded. */
export async function retryWhileUnavailable<Outcome>(
  closing: AbortSignal,
  attempt: (isRepeated: boolean) => Promise<Outcome>,
  maxMs = Infinity,
): Promise<Outcome> {
  const start = performance.now()
  for (let waitMs = 0; ; waitMs = Math.min(waitMs * 2 || RETRY_MS, MAX_RETRY_MS)) {
    if (waitMs > 0) await pause(waitMs, undefined, { ref: false })
    try {
      return await attempt(waitMs > 0)
    } catch (error) {
      const isOver = closing.aborted || performance.now() - start > maxMs
      if (isOver || getErrorCode(error) !== 'database_unavailable') throw error
    }
  }
}

/** Runs the work in one transaction. `execute` runs its statements. */
export type Transact = <Outcome>(work: (execute: Run) => Promise<Outcome>) => Promise<Outcome>

export function createTransact(pool: Pool, databaseUrl: string, watch?: CommitWatch): Transact {
  return async (work) => {
    try {
      return await runTransaction(pool, work, { beforeCommit: watch?.current() })
    } catch (error) {
      throw toPlatformError(error, databaseUrl)
    }
  }
}

const runTransaction = <Outcome>(
  pool: Pool,
  work: (run: Run) => Promise<Outcome>,
  { beforeCommit, signal }: { beforeCommit: BeforeCommit | undefined; signal?: AbortSignal | undefined },
): Promise<Outcome> =>
  useClient(pool, signal, async (client, discard) => {
    const run: Run = async <Row extends QueryResultRow>(
      query: SqlStatement,
      values: readonly unknown[] = [],
    ) => (await client.query<Row>({ ...query, values: [...values] })).rows
    try {
      await client.query('begin')
      const outcome = await work(run)
      await beforeCommit?.(run)
      await client.query('commit')
      return outcome
    } catch (error) {
      // A connection that cannot roll back is not reused.
      await client.query('rollback').catch(discard)
      throw error
    }
  })

/** Runs last in a transaction. If it throws, nothing is committed. */
export type BeforeCommit = (run: Run) => Promise<void>

/** Lets the transactions of one request end with a statement of its own. */
export interface CommitWatch {
  during<Outcome>(beforeCommit: BeforeCommit, work: () => Promise<Outcome>): Promise<Outcome>
  current(): BeforeCommit | undefined
}

export function createCommitWatch(): CommitWatch {
  const storage = new AsyncLocalStorage<{ beforeCommit: BeforeCommit | undefined }>()
  return {
    async during(beforeCommit, work) {
      const watched: { beforeCommit: BeforeCommit | undefined } = { beforeCommit }
      try {
        return await storage.run(watched, work)
      } finally {
        // Background work that began here continues without it.
        watched.beforeCommit = undefined
      }
    },
    current: () => storage.getStore()?.beforeCommit,
  }
}

/** Runs the work as a limited member, who sees only the namespaces that the capability opens. */
export type TransactMember = (capability: Uint8Array) => Transact

export const createTransactMember =
  (transact: Transact): TransactMember =>
  (capability) =>
  (work) =>
    transact(async (execute) => {
      await execute(SET_REACH, [Buffer.from(capability).toString('hex')])
      return work(execute)
    })

const SET_REACH = statement(`select set_config('parley.scope', $1, true)`)

/**
 * Runs the work unless another process is doing it. A transaction that only takes an advisory lock blocks nothing else,
 * however long it is open.
 */
export const runAlone = (
  transact: Transact,
  name: string,
  work: () => Promise<void>,
): Promise<'done' | 'busy'> =>
  transact(async (execute) => {
    const [claim] = await execute<{ is_ours: boolean }>(TRY_LOCK, [`parley: ${name}`])
    if (!claim?.is_ours) return 'busy'
    await work()
    return 'done'
  })

const TRY_LOCK = statement('select pg_try_advisory_xact_lock(hashtext($1)) as is_ours')

/** The first row, converted; undefined without rows. */
export async function findFirst<Row, Item>(
  rows: Promise<readonly Row[]>,
  convert: (row: Row) => Item,
): Promise<Item | undefined> {
  const [row] = await rows
  return row && convert(row)
}

export const hasRows = async (rows: Promise<readonly unknown[]>): Promise<boolean> => (await rows).length > 0

/** For statements that only write. */
export const ignoreRows = async (rows: Promise<readonly unknown[]>): Promise<void> => void (await rows)

/** Reads from one snapshot, without writing. */
export const readSnapshot = <Outcome>(
  transact: Transact,
  read: (run: Run) => Promise<Outcome>,
): Promise<Outcome> =>
  transact(async (execute) => {
    await execute(SET_SNAPSHOT)
    return read(execute)
  })

const SET_SNAPSHOT = statement('set transaction isolation level repeatable read, read only')

/**
 * Runs statements on the pool. Undefined values become null, and database errors become PlatformErrors. Aborting the
 * signal also cancels the statement on the server, or stops waiting for a connection.
 */
export type Run = <Row extends QueryResultRow>(
  statement: SqlStatement,
  values?: readonly unknown[],
  signal?: AbortSignal,
) => Promise<readonly Row[]>
