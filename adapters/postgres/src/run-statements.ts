import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg'
import { PlatformError } from '@parley/contracts'
import { asPlatformError } from './login/database-error.ts'
import { GuardedClient } from './login/guarded-client.ts'

export function createRun(pool: Pool, databaseUrl: string): Run {
  return async <Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[] = [],
    signal?: AbortSignal,
  ) => {
    const query = { ...statement, values: [...values] }
    try {
      return signal ? await runUntil<Row>(pool, query, signal) : (await pool.query<Row>(query)).rows
    } catch (error) {
      throw asPlatformError(error, databaseUrl)
    }
  }
}

async function runUntil<Row extends QueryResultRow>(
  pool: Pool,
  query: QueryConfig,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const client = await connectUntil(pool, signal)
  const cancel = () => {
    if (client instanceof GuardedClient) client.cancelStatement()
  }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return (await client.query<Row>(query)).rows
  } catch (error) {
    throw signal.aborted ? cancelled(error) : error
  } finally {
    signal.removeEventListener('abort', cancel)
    // The request to cancel may still be on its way, and must not hit the next statement of this connection.
    client.release(signal.aborted)
  }
}

function connectUntil(pool: Pool, signal: AbortSignal): Promise<PoolClient> {
  if (signal.aborted) return Promise.reject(cancelled(signal.reason))
  return new Promise((resolve, reject) => {
    const leave = () => reject(cancelled(signal.reason))
    signal.addEventListener('abort', leave, { once: true })
    pool
      .connect()
      .then((client) => (signal.aborted ? client.release() : resolve(client)), reject)
      .finally(() => signal.removeEventListener('abort', leave))
  })
}

const cancelled = (cause: unknown) =>
  new PlatformError('cancelled', { message: 'Nobody waits for this statement any more.' }, { cause })

/** Runs the work in one transaction: all of it is kept, or nothing. */
export type Transact = <Outcome>(work: (run: Run) => Promise<Outcome>) => Promise<Outcome>

export function createTransact(pool: Pool, databaseUrl: string): Transact {
  return async (work) => {
    try {
      const client = await pool.connect()
      const run: Run = async <Row extends QueryResultRow>(
        statement: Statement,
        values: readonly unknown[] = [],
      ) => (await client.query<Row>({ ...statement, values: [...values] })).rows
      try {
        await client.query('begin')
        const outcome = await work(run)
        await client.query('commit')
        client.release()
        return outcome
      } catch (error) {
        const undone = await client.query('rollback').catch((cause: unknown) => ({ cause }))
        // A connection that cannot even roll back is of no use to the next one.
        client.release('cause' in undone)
        throw error
      }
    } catch (error) {
      throw asPlatformError(error, databaseUrl)
    }
  }
}

/** Runs the work as a member who does not reach everything: what their capability does not open is not there. */
export type TransactMember = (capability: Uint8Array) => Transact

export const createTransactMember =
  (transact: Transact): TransactMember =>
  (capability) =>
  (work) =>
    transact(async (within) => {
      await within(SET_REACH, [Buffer.from(capability).toString('hex')])
      return work(within)
    })

const SET_REACH = { name: 'set_reach', text: `select set_config('parley.scope', $1, true)` }

/** Looks at one moment, whatever changes meanwhile, and changes nothing. */
export const lookWithin = <Seen>(transact: Transact, look: (run: Run) => Promise<Seen>): Promise<Seen> =>
  transact(async (within) => {
    await within(ONE_SNAPSHOT)
    return look(within)
  })

const ONE_SNAPSHOT = {
  name: 'one_snapshot',
  text: 'set transaction isolation level repeatable read, read only',
}

/** A statement that a connection parses and plans once. */
export interface Statement {
  readonly name: string
  readonly text: string
}

/**
 * Runs statements on the pool; what goes wrong with the database is a PlatformError. An abort of the signal cancels the
 * statement on the server too, or leaves the queue for a connection.
 */
export type Run = <Row extends QueryResultRow>(
  statement: Statement,
  values?: readonly unknown[],
  signal?: AbortSignal,
) => Promise<readonly Row[]>
