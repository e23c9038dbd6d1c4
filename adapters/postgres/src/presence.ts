import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { asPlatformError } from './login/database-error.ts'

/**
 * Shows all processes that this one lives: a lock under a random key, held by a connection of its own. Postgres drops
 * the lock when that connection ends, however it ends, so whoever finds it free knows that its holder is gone.
 */
export interface Presence {
  /** The key that is held now. */
  key(): Promise<string>
  /** The key that was held last, for those who cannot wait. */
  lastKey(): string
  close(): Promise<void>
}

const RETRY_MS = 500

// The server notices within half a minute that our machine has gone silent, and ends no idle connection.
const HOLD = `select set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false), set_config('idle_session_timeout', '0', false),
  pg_advisory_lock($1)`

export interface PresenceHost {
  readonly databaseUrl: string
  readonly config: ClientConfig
  readonly onError: (error: unknown) => void
}

export async function openPresence({ databaseUrl, config, onError }: PresenceHost): Promise<Presence> {
  let held: { readonly client: Client; readonly key: string } | undefined
  let joining: Promise<string> | undefined
  let lastKey = ''
  let closed = false

  const lose = (client: Client, error: unknown) => {
    if (held?.client !== client || closed) return
    held = undefined
    onError(error)
    void comeBack()
  }

  const join = async () => {
    const client = new Client(config)
    const key = randomBytes(8).readBigInt64BE().toString()
    client.on('error', (error) => lose(client, error))
    client.on('end', () => lose(client, new Error('Connection terminated')))
    try {
      await client.connect()
      // A key is never taken twice: one that was lost may have been found free already.
      await client.query(HOLD, [key])
    } catch (error) {
      await client.end().catch(() => {})
      throw asPlatformError(error, databaseUrl)
    }
    held = { client, key }
    lastKey = key
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

  await key()
  return {
    key,
    lastKey: () => lastKey,
    async close() {
      closed = true
      await joining?.catch(() => {})
      await held?.client.end()
    },
  }
}
