import type { Client, ClientConfig } from 'pg'
import { toPlatformError } from '../login/database-error.ts'
import { deriveSealingKey } from '../login/database-url.ts'
import {
  type HeldConnection,
  toConnectionConfig,
  createPool,
  holdConnection,
  createLockKey,
} from '../login/guarded-client.ts'
import type { DatabaseOptions } from '../open-database.ts'
import { computeSha256 } from '../hashes.ts'
import { type Run, createRun, createTransact, ignoreRows } from '../run-statements.ts'
import { postgresConversations } from './conversations.ts'
import { postgresDocuments } from './documents.ts'
import type { DeliveryStore, ProviderStore, SignedUrlStore } from './provider-store.ts'
import { findRecord, listRecords } from '../records.ts'
import { statement } from '../statement.ts'

/** The stores of the local voice provider, through the login of `parley_provider`. The database must be migrated. */
export async function openProvider({
  databaseUrl,
  onError = () => {},
}: DatabaseOptions): Promise<ProviderStore> {
  const config = toConnectionConfig(databaseUrl, 'parley_provider', 'parley-provider')
  const report = (error: unknown) => onError(toPlatformError(error, databaseUrl))
  const lock = await openHolderLock(config, report).catch((error: unknown) => {
    throw toPlatformError(error, databaseUrl)
  })
  const pool = createPool({ ...config, max: 6, idleTimeoutMillis: 60_000, statement_timeout: 10_000 }, report)
  const run = createRun(pool, databaseUrl)
  const transact = createTransact(pool, databaseUrl)
  return {
    documents: postgresDocuments({ run, transact, sealingKey: deriveSealingKey(databaseUrl) }),
    conversations: postgresConversations({ run, transact, holder: lock.key }),
    signedUrls: postgresSignedUrls(run),
    deliveries: postgresDeliveries(run),
    async close() {
      await pool.end()
      await lock.close()
    },
  }
}

/** Shows other processes that this one is alive, by a lock that Postgres releases when the connection ends. */
interface HolderLock extends HeldConnection {
  readonly key: string
}

async function openHolderLock(config: ClientConfig, onError: (error: unknown) => void): Promise<HolderLock> {
  const key = createLockKey()
  // Always the same key, so that rows written with it stay ours.
  const takeLock = (client: Client) => client.query('select pg_advisory_lock($1)', [key])
  const lock = await holdConnection(config, takeLock, onError)
  return { key, ...lock }
}

function postgresSignedUrls(run: Run): SignedUrlStore {
  return {
    async create(signature, { agentId, conversationId, body }, expiresAt) {
      const values = [computeSha256(signature), agentId, conversationId, JSON.stringify(body), expiresAt]
      await run(CREATE, values)
    },

    use: (signature) => findRecord(run(USE, [computeSha256(signature)])),
  }
}

const CREATE = statement(`with late as (delete from provider.signed_urls where expires_at < clock_timestamp())
  insert into provider.signed_urls (signature_hash, agent_id, conversation_id, body, expires_at)
  values ($1, $2, $3, $4, $5)`)

// Of two concurrent uses the second waits for the row, and finds it used.
const USE = statement(`update provider.signed_urls set used_at = clock_timestamp()
  where signature_hash = $1 and expires_at > clock_timestamp() and (conversation_id is null or used_at is null)
  returning agent_id, conversation_id, body`)

function postgresDeliveries(run: Run): DeliveryStore {
  return {
    claim: (limit, holdMs) => listRecords(run(CLAIM, [limit, holdMs])),

    putOff: (id, until) => ignoreRows(run(PUT_OFF, [id, until])),

    remove: (id) => ignoreRows(run(REMOVE, [id])),
  }
}

const CLAIM = statement(`with due as (
    select id from provider.deliveries where next_at <= clock_timestamp()
    order by next_at, id limit $1 for update skip locked
  )
  update provider.deliveries d
  set attempts = d.attempts + 1, next_at = clock_timestamp() + $2 * interval '1 millisecond'
  from due where d.id = due.id
  returning d.id, d.webhook_id, d.conversation_id, d.body, d.attempts as attempt`)

const PUT_OFF = statement('update provider.deliveries set next_at = $2 where id = $1')

const REMOVE = statement('delete from provider.deliveries where id = $1')
