import { setTimeout as pause } from 'node:timers/promises'
import type { Client, ClientConfig } from 'pg'
import { GuardedClient } from './guarded-client.ts'

export interface HeldConnection {
  close(): Promise<void>
}

const RETRY_MS = 100

// The server notices within half a minute that our machine has gone silent, and ends no idle connection.
const SETTINGS = `select set_config('tcp_keepalives_idle', '15', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false),
  set_config('idle_session_timeout', '0', false)`

/** Keeps a connection open, and opens another whenever it is lost. `begin` runs on each before it counts as open. */
export async function holdConnection(
  config: ClientConfig,
  begin: (client: Client) => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<HeldConnection> {
  let held: Client | undefined
  let returning: Promise<void> | undefined
  const closing = new AbortController()

  const hold = async () => {
    const client = new GuardedClient(config)
    const lose = (error: unknown) => {
      if (held !== client || closing.signal.aborted) return
      held = undefined
      onError(error)
      returning = comeBack()
    }
    client.on('error', lose)
    client.on('end', () => lose(new Error('Connection terminated')))
    try {
      await client.connect()
      await client.query(SETTINGS)
      await begin(client)
      held = client
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }

  const comeBack = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const outcome = await hold().catch(() => 'failed' as const)
      if (outcome !== 'failed') return
      await pause(RETRY_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {})
    }
  }

  await hold()
  return {
    async close() {
      closing.abort()
      await returning
      await held?.end()
    },
  }
}
