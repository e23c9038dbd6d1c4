import type { EmbeddingsStore, IngestStore, LearningStore } from '@parley/knowledge'
import { Pool } from 'pg'
import { postgresEmbeddingsStore } from './knowledge/embeddings-store.ts'
import { postgresIngestStore } from './knowledge/ingest-store.ts'
import { postgresLearningStore } from './knowledge/learning-store.ts'
import { createTransact } from './knowledge/transact.ts'
import { asPlatformError } from './login/database-error.ts'
import { urlAs } from './login/database-url.ts'
import { GuardedClient } from './login/guarded-client.ts'
import { createRun } from './create-run.ts'
import type { DatabaseOptions } from './open-database.ts'

/** What background jobs need of the database, through the login of `parley_learning`. */
export interface Learning {
  readonly ingest: IngestStore
  readonly learning: LearningStore
  readonly embeddings: EmbeddingsStore
  close(): Promise<void>
}

/** The database must have been migrated. */
export function openLearning({ databaseUrl, onError = () => {} }: DatabaseOptions): Learning {
  const pool = new Pool({
    connectionString: urlAs(databaseUrl, 'parley_learning'),
    application_name: 'parley-learning',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    Client: GuardedClient,
    max: 8,
    idleTimeoutMillis: 60_000,
  })
  pool.on('error', (error) => onError(asPlatformError(error, databaseUrl)))
  const host = { run: createRun(pool, databaseUrl), transact: createTransact(pool, databaseUrl) }
  return {
    ingest: postgresIngestStore(host),
    learning: postgresLearningStore(host),
    embeddings: postgresEmbeddingsStore(host),
    close: () => pool.end(),
  }
}
