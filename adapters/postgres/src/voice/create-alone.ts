import { PlatformError } from '@parley/contracts'
import type { SyncStore } from '@parley/reflections'
import type { ClientConfig } from 'pg'
import { asPlatformError } from '../login/database-error.ts'
import { GuardedClient } from '../login/guarded-client.ts'
import { codeOf } from '../server/unavailable.ts'

export interface AloneHost {
  readonly databaseUrl: string
  readonly config: ClientConfig
  /** Aborts when the database is closed. */
  readonly closing: AbortSignal
}

/** By a lock on a connection of its own: Postgres drops it when the connection ends, however its process ended. */
export function createAlone({ databaseUrl, config, closing }: AloneHost): SyncStore['alone'] {
  return async (name, work, signal) => {
    const lost = new AbortController()
    const client = new GuardedClient(config)
    client.on('error', (error) => lost.abort(error))
    client.on('end', () => lost.abort(new Error('The connection that held the lock has ended.')))
    const calledOff = AbortSignal.any([signal, closing])
    await hold(client, name, databaseUrl, calledOff)
    try {
      return await work(AbortSignal.any([calledOff, lost.signal]))
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

/** Who is called off while they wait leaves the queue; who has the lock keeps it until the work has stopped. */
async function hold(
  client: GuardedClient,
  name: string,
  databaseUrl: string,
  stop: AbortSignal,
): Promise<void> {
  const calledOff = Promise.withResolvers<never>()
  const leave = () => calledOff.reject(cancelled(name, stop))
  stop.addEventListener('abort', leave, { once: true })
  try {
    if (stop.aborted) leave()
    await Promise.race([take(client, name), calledOff.promise])
  } catch (error) {
    // In the midst of connecting or waiting, pg would end it only once that is over.
    client.connection.stream.destroy()
    throw codeOf(error) === LOCK_NOT_AVAILABLE ? busy(name, error) : asPlatformError(error, databaseUrl)
  } finally {
    stop.removeEventListener('abort', leave)
  }
}

async function take(client: GuardedClient, name: string): Promise<void> {
  await client.connect()
  await client.query(SETTINGS)
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`alone: ${name}`])
}

const LOCK_NOT_AVAILABLE = '55P03'

// The server notices within half a minute that our machine has gone silent, and ends no idle connection.
const SETTINGS = `select set_config('tcp_keepalives_idle', '15', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false),
  set_config('idle_session_timeout', '0', false), set_config('lock_timeout', '90s', false),
  set_config('client_connection_check_interval', '2s', false)`

const busy = (name: string, cause: unknown) =>
  new PlatformError(
    'provider_unavailable',
    { message: `Another process has been at ${name} for long. Try again in a minute.` },
    { cause },
  )

const cancelled = (name: string, { reason }: AbortSignal) =>
  new PlatformError('cancelled', { message: `Nobody waits any more for ${name}.` }, { cause: reason })
