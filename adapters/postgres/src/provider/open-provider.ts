import { createHash, randomBytes } from 'node:crypto'
import { type ClientConfig, Pool } from 'pg'
import { createRun } from '../create-run.ts'
import { createTransact } from '../knowledge/transact.ts'
import { asPlatformError } from '../login/database-error.ts'
import { sealingKeyOf, urlAs } from '../login/database-url.ts'
import { GuardedClient } from '../login/guarded-client.ts'
import { type HeldConnection, holdConnection } from '../login/hold-connection.ts'
import type { DatabaseOptions } from '../open-database.ts'
import type { Run } from '../queries.ts'
import { postgresConversations } from './conversations.ts'
import { postgresDeliveries } from './deliveries.ts'
import { postgresDocuments } from './documents.ts'
import type { Body, ProviderStore, SignedUrlStore } from './provider-store.ts'

/** What the local voice provider keeps, through the login of `parley_provider`. The database must have been migrated. */
export async function openProvider({
  databaseUrl,
  onError = () => {},
}: DatabaseOptions): Promise<ProviderStore> {
  const config = {
    connectionString: urlAs(databaseUrl, 'parley_provider'),
    application_name: 'parley-provider',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  }
  const tell = (error: unknown) => onError(asPlatformError(error, databaseUrl))
  const lock = await openHolderLock(config, tell).catch((error: unknown) => {
    throw asPlatformError(error, databaseUrl)
  })
  const pool = new Pool({
    ...config,
    Client: GuardedClient,
    max: 6,
    idleTimeoutMillis: 60_000,
    statement_timeout: 10_000,
  })
  pool.on('error', tell)
  const run = createRun(pool, databaseUrl)
  const transact = createTransact(pool, databaseUrl)
  return {
    documents: postgresDocuments({ run, transact, sealingKey: sealingKeyOf(databaseUrl) }),
    conversations: postgresConversations({ run, transact, holder: lock.key }),
    signedUrls: postgresSignedUrls(run),
    deliveries: postgresDeliveries(run),
    async close() {
      await pool.end()
      await lock.close()
    },
  }
}

/** Shows the other processes that this one lives, by a lock that Postgres drops when its connection ends. */
interface HolderLock extends HeldConnection {
  readonly key: string
}

async function openHolderLock(config: ClientConfig, onError: (error: unknown) => void): Promise<HolderLock> {
  const key = randomBytes(8).readBigInt64BE().toString()
  // Always under the same key: what was written under it is still ours.
  const lock = await holdConnection(
    config,
    (client) => client.query('select pg_advisory_lock($1)', [key]),
    onError,
  )
  return { key, ...lock }
}

function postgresSignedUrls(run: Run): SignedUrlStore {
  return {
    async create(signature, { agentId, conversationId, body }, expiresAt) {
      const values = [hashOf(signature), agentId, conversationId ?? null, JSON.stringify(body), expiresAt]
      await run(CREATE, values)
    },

    async use(signature) {
      const [row] = await run<Row>(USE, [hashOf(signature)])
      return (
        row && {
          agentId: row.agent_id,
          ...(row.conversation_id !== null && { conversationId: row.conversation_id }),
          body: row.body,
        }
      )
    },
  }
}

const hashOf = (signature: string) => createHash('sha256').update(signature).digest()

interface Row {
  readonly agent_id: string
  readonly conversation_id: string | null
  readonly body: Body
}

const CREATE = {
  name: 'create_signed_url',
  text: `with late as (delete from provider.signed_urls where expires_at < clock_timestamp())
    insert into provider.signed_urls (signature_hash, agent_id, conversation_id, body, expires_at)
    values ($1, $2, $3, $4, $5)`,
}

// Two who come at once meet at the row, and the second finds it used.
const USE = {
  name: 'use_signed_url',
  text: `update provider.signed_urls set used_at = clock_timestamp()
    where signature_hash = $1 and expires_at > clock_timestamp() and (conversation_id is null or used_at is null)
    returning agent_id, conversation_id, body`,
}
