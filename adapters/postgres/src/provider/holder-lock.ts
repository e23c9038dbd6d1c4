import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, ClientConfig } from 'pg'
import { GuardedClient } from '../login/guarded-client.ts'

/** Shows the other processes that this one lives, by a lock that Postgres drops when its connection ends. */
export interface HolderLock {
  readonly key: string
  close(): Promise<void>
}

const RETRY_MS = 100

// The server notices within half a minute that our machine has gone silent, and ends no idle connection.
const HOLD = `select set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false), set_config('idle_session_timeout', '0', false),
  pg_advisory_lock($1)`

export async function openHolderLock(
  config: ClientConfig,
  onError: (error: unknown) => void,
): Promise<HolderLock> {
  const key = randomBytes(8).readBigInt64BE().toString()
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
      await client.query(HOLD, [key])
      held = client
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }

  /** Under the same key: what was written under it is still ours. */
  const comeBack = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const outcome = await hold().catch(() => 'failed' as const)
      if (outcome !== 'failed') return
      await pause(RETRY_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {})
    }
  }

  await hold()
  return {
    key,
    async close() {
      closing.abort()
      await returning
      await held?.end()
    },
  }
}
