import { PlatformError } from '@parley/contracts'
import type { Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg'
import { asPlatformError } from './login/database-error.ts'
import { GuardedClient } from './login/guarded-client.ts'
import type { Run, Statement } from './queries.ts'

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
