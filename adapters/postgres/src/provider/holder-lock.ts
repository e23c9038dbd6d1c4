import { randomBytes } from 'node:crypto'
import type { ClientConfig } from 'pg'
import { type HeldConnection, holdConnection } from '../login/hold-connection.ts'

/** Shows the other processes that this one lives, by a lock that Postgres drops when its connection ends. */
export interface HolderLock extends HeldConnection {
  readonly key: string
}

export async function openHolderLock(
  config: ClientConfig,
  onError: (error: unknown) => void,
): Promise<HolderLock> {
  const key = randomBytes(8).readBigInt64BE().toString()
  // Always under the same key: what was written under it is still ours.
  const lock = await holdConnection(
    config,
    (client) => client.query('select pg_advisory_lock($1)', [key]),
    onError,
  )
  return { key, ...lock }
}
