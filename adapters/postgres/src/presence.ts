import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, ClientConfig } from 'pg'
import { asPlatformError } from './login/database-error.ts'
import { GuardedClient } from './login/guarded-client.ts'

/**
 * Shows all processes that this one lives: a lock under a random key, held by a connection of its own. Postgres drops
 * the lock when that connection ends, however it ends, so whoever finds it free knows that its holder is gone; the key
 * stays in a table, so that it is looked for. The same connection carries notices between the processes, each a hint: anybody who may log in can send and read them.
 */
export interface Presence {
  /** The key that is held now. */
  key(): Promise<string>
  /** The key that was held last, for those who cannot wait. */
  lastKey(): string
  /** Sends a notice to all processes, this one included, in the order of the calls; lost where there is no connection. */
  notify(notice: string): void
  /** Resolves once everything is sent, or lost. */
  sent(): Promise<void>
  /** Told of every notice, and of every connection but the first, before which notices may have been missed. */
  attend(attendant: Attendant): void
  close(): Promise<void>
}

export interface Attendant {
  readonly onNotice?: (notice: string) => void
  /** With the key that was held before. */
  readonly onReturn?: (lostKey: string) => void
}

const RETRY_MS = 100

// The server notices within half a minute that our machine has gone silent, and ends no idle connection.
const HOLD = `select set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false), set_config('idle_session_timeout', '0', false),
  pg_advisory_lock($1)`

const CHANNEL = 'parley'

const NOTIFY = {
  name: 'notify',
  text: `select pg_notify('${CHANNEL}', notice) from unnest($1::text[]) with ordinality as given (notice, place)
    order by place`,
}

const MOST_NOTICES_AT_ONCE = 500

export interface PresenceHost {
  readonly databaseUrl: string
  readonly config: ClientConfig
  readonly onError: (error: unknown) => void
}

export async function openPresence({ databaseUrl, config, onError }: PresenceHost): Promise<Presence> {
  const attendants: Attendant[] = []
  let held: { readonly client: Client; readonly key: string } | undefined
  let joining: Promise<string> | undefined
  let lastKey = ''
  let closed = false
  let notices: string[] = []
  let sending: Promise<void> | undefined

  const lose = (client: Client, error: unknown) => {
    if (held?.client !== client || closed) return
    held = undefined
    onError(error)
    void comeBack()
  }

  const join = async () => {
    const client = new GuardedClient(config)
    const key = randomBytes(8).readBigInt64BE().toString()
    client.on('error', (error) => lose(client, error))
    client.on('end', () => lose(client, new Error('Connection terminated')))
    client.on('notification', ({ payload = '' }) => {
      for (const { onNotice } of attendants) onNotice?.(payload)
    })
    try {
      await client.connect()
      // A key is never taken twice: one that was lost may have been found free already.
      await client.query(HOLD, [key])
      await client.query('insert into presences (key) values ($1)', [key])
      await client.query(`listen ${CHANNEL}`)
    } catch (error) {
      await client.end().catch(() => {})
      throw asPlatformError(error, databaseUrl)
    }
    held = { client, key }
    const lostKey = lastKey
    lastKey = key
    if (lostKey !== '') for (const { onReturn } of attendants) onReturn?.(lostKey)
    return key
  }

  const key = async () => {
    if (held) return held.key
    joining ??= join().finally(() => {
      joining = undefined
    })
    return joining
  }

  const comeBack = async (): Promise<void> => {
    if (closed) return
    await key().catch(async () => {
      await pause(RETRY_MS, undefined, { ref: false })
      await comeBack()
    })
  }

  /** What comes while a batch is under way goes with the next. */
  const send = async () => {
    for (let client = held?.client; client && notices.length > 0; client = held?.client) {
      const batch = notices.slice(0, MOST_NOTICES_AT_ONCE)
      notices = notices.slice(MOST_NOTICES_AT_ONCE)
      // A connection that breaks here is told of by its own events.
      await client.query({ ...NOTIFY, values: [batch] }).catch(() => {})
    }
    notices = []
    sending = undefined
  }

  await key()
  return {
    key,
    lastKey: () => lastKey,
    notify(notice) {
      if (!held) return
      notices.push(notice)
      sending ??= send()
    },
    sent: async () => sending,
    attend(attendant) {
      attendants.push(attendant)
    },
    async close() {
      closed = true
      await joining?.catch(() => {})
      await held?.client.end()
    },
  }
}
