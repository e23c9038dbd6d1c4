import { Pool } from 'pg'
import { createRun } from '../create-run.ts'
import { createTransact } from '../knowledge/transact.ts'
import { asPlatformError } from '../login/database-error.ts'
import { sealingKeyOf, urlAs } from '../login/database-url.ts'
import { GuardedClient } from '../login/guarded-client.ts'
import type { DatabaseOptions } from '../open-database.ts'
import { postgresConversations } from './conversations.ts'
import { postgresDeliveries } from './deliveries.ts'
import { postgresDocuments } from './documents.ts'
import { openHolderLock } from './holder-lock.ts'
import type { ProviderStore } from './provider-store.ts'
import { postgresSignedUrls } from './signed-urls.ts'

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
