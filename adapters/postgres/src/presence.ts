import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError } from '@parley/contracts'
import type { Client, ClientConfig } from 'pg'
import { asPlatformError } from './login/database-error.ts'
import { GuardedClient, KEEP_CONNECTION, newLockKey } from './login/guarded-client.ts'
import { statement } from './statement.ts'

/**
 * Shows other processes that this one is alive: a dedicated connection holds an advisory lock under a random key. Postgres
 * releases the lock when the connection ends, so a free lock means that its holder is gone; the key stays in a table, so
 * that others can check it. After a lost connection the process takes the same key again and keeps its turns, unless
 * their epoch shows that another process took them over.
 * The same connection carries notices between the processes. They are hints: every login can send and read them.
 */
export interface Presence {
  /** The key of this process, once locked. */
  key(): Promise<string>
  /** Milliseconds since the connection came back; infinite if it was never lost. */
  sinceReturn(): number
  /** Sends a notice to all processes including this one, in the order of the calls; lost without a connection. */
  notify(notice: string): void
  /** Resolves once everything is sent, or lost. */
  sent(): Promise<void>
  /** Receives every notice, and every reconnection, before which notices may be lost. */
  listen(listener: PresenceListener): void
  close(): Promise<void>
}

export interface PresenceListener {
  readonly onNotice?: (notice: string) => void
  readonly onReturn?: () => void
}

const RETRY_MS = 100

const HOLD = `${KEEP_CONNECTION}, pg_advisory_lock($1)`

/** Ends our earlier connection, which would keep the lock for another half minute if only we lost it. */
const END_EARLIER = `select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and objsubid = 1 and mode = 'ExclusiveLock' and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) | objid::bigint = $1`

const CHANNEL = 'parley'

const NOTIFY = statement(`
  select pg_notify('${CHANNEL}', notice) from unnest($1::text[]) with ordinality as given (notice, place)
  order by place`)

const MOST_NOTICES_AT_ONCE = 500

export interface PresenceHost {
  readonly databaseUrl: string
  readonly config: ClientConfig
  readonly onError: (error: unknown) => void
}

export async function openPresence({ databaseUrl, config, onError }: PresenceHost): Promise<Presence> {
  const listeners: PresenceListener[] = []
  const ownKey = newLockKey()
  let current: Client | undefined
  let joining: Promise<void> | undefined
  let joinedBefore = false
  let returnedAt = -Infinity
  let closed = false
  let notices: string[] = []
  let sending: Promise<void> | undefined

  const handleLoss = (client: Client, error: unknown) => {
    if (current !== client || closed) return
    current = undefined
    onError(error)
    void reconnect()
  }

  const join = async () => {
    const client = new GuardedClient(config)
    client.on('error', (error) => handleLoss(client, error))
    client.on('end', () => handleLoss(client, new Error('Connection terminated')))
    client.on('notification', ({ payload = '' }) => {
      for (const { onNotice } of listeners) onNotice?.(payload)
    })
    try {
      await client.connect()
      if (joinedBefore) await client.query(END_EARLIER, [ownKey])
      await client.query(HOLD, [ownKey])
      await client.query('insert into presences (key) values ($1) on conflict do nothing', [ownKey])
      await client.query(`listen ${CHANNEL}`)
    } catch (error) {
      await client.end().catch(() => {})
      throw asPlatformError(error, databaseUrl)
    }
    current = client
    if (joinedBefore) {
      returnedAt = performance.now()
      for (const { onReturn } of listeners) onReturn?.()
    }
    joinedBefore = true
  }

  const key = async () => {
    if (closed) throw new PlatformError('database_unavailable', { message: 'The database was closed.' })
    if (current) return ownKey
    joining ??= join().finally(() => {
      joining = undefined
    })
    await joining
    return ownKey
  }

  const reconnect = async (): Promise<void> => {
    if (closed) return
    await key().catch(async () => {
      await pause(RETRY_MS, undefined, { ref: false })
      await reconnect()
    })
  }

  /** Notices that arrive while a batch is being sent go with the next one. */
  const send = async () => {
    for (let client = current; client && notices.length > 0; client = current) {
      const batch = notices.slice(0, MOST_NOTICES_AT_ONCE)
      notices = notices.slice(MOST_NOTICES_AT_ONCE)
      // A broken connection is handled by its own events.
      await client.query({ ...NOTIFY, values: [batch] }).catch(() => {})
    }
    notices = []
    sending = undefined
  }

  await key()
  return {
    key,
    sinceReturn: () => performance.now() - returnedAt,
    notify(notice) {
      if (!current) return
      notices.push(notice)
      sending ??= send()
    },
    sent: async () => sending,
    listen(listener) {
      listeners.push(listener)
    },
    async close() {
      closed = true
      await joining?.catch(() => {})
      await current?.end()
    },
  }
}
