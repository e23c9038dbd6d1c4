import { PlatformError } from '@parley/contracts'
import type { EventRelay, SessionStore } from '@parley/engine'
import { Pool, type QueryResultRow } from 'pg'
import { asPlatformError } from './login/database-error.ts'
import { relaySecretOf, urlAs } from './login/database-url.ts'
import { GuardedClient } from './login/guarded-client.ts'
import { openPresence } from './presence.ts'
import type { Run, Statement } from './queries.ts'
import { postgresRelay } from './relay/postgres-relay.ts'
import { postgresSessionStore } from './sessions/session-store.ts'
import { postgresTokenStore, type TokenStore } from './tokens/token-store.ts'

export interface DatabaseOptions {
  readonly databaseUrl: string
  /** Told of what goes wrong while nobody waits for it: a connection that was lost. */
  readonly onError?: (error: unknown) => void
}

/** What serving needs of the database, through the login of `parley_serving`. */
export interface Database {
  readonly sessions: SessionStore
  /** Reaches the other processes on this database. */
  readonly relay: EventRelay
  readonly tokens: TokenStore
  /** Throws `database_unavailable` while the database does not answer. */
  ready(): Promise<void>
  close(): Promise<void>
}

/** The database must have been migrated. */
export async function openDatabase({ databaseUrl, onError = () => {} }: DatabaseOptions): Promise<Database> {
  const config = {
    connectionString: urlAs(databaseUrl, 'parley_serving'),
    application_name: 'parley',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  }
  const tell = (error: unknown) => onError(asPlatformError(error, databaseUrl))
  const presence = await openPresence({ databaseUrl, config, onError: tell })
  const pool = new Pool({
    ...config,
    Client: GuardedClient,
    max: 20,
    idleTimeoutMillis: 60_000,
    statement_timeout: 10_000,
    // Each statement finds its rows by a key, so the first plan is as good as any.
    options: '-c plan_cache_mode=force_generic_plan',
  })
  pool.on('error', tell)

  const run: Run = async <Row extends QueryResultRow>(
    statement: Statement,
    values: readonly unknown[] = [],
  ) => {
    try {
      const { rows } = await pool.query<Row>({ ...statement, values: [...values] })
      return rows
    } catch (error) {
      throw asPlatformError(error, databaseUrl)
    }
  }

  const relay = postgresRelay(presence, relaySecretOf(databaseUrl))
  const closing = new AbortController()
  return {
    sessions: postgresSessionStore({ run, presence, closing: closing.signal }),
    relay,
    tokens: postgresTokenStore(run),
    async ready() {
      try {
        await run(ALIVE)
      } catch (cause) {
        if (cause instanceof PlatformError && cause.code === 'database_unavailable') throw cause
        throw new PlatformError('database_unavailable', { message: String(cause) }, { cause })
      }
    },
    async close() {
      closing.abort()
      await pool.end()
      await relay.leave()
      await presence.close()
    },
  }
}

const ALIVE = { name: 'alive', text: 'select 1' }
