import type { EmbeddingsStore, IngestStore, LearningStore } from '@parley/knowledge'
import type { ArtifactStore } from '@parley/reflections'
import { Pool } from 'pg'
import { type HealthLog, postgresHealthLog } from './health/health-log.ts'
import { createJobQueue } from './jobs/job-queue.ts'
import { postgresEmbeddingsStore } from './knowledge/embeddings-store.ts'
import { postgresIngestStore } from './knowledge/ingest-store.ts'
import { postgresLearningStore } from './knowledge/learning-store.ts'
import { createTransact } from './knowledge/transact.ts'
import { asPlatformError } from './login/database-error.ts'
import { urlAs } from './login/database-url.ts'
import { GuardedClient } from './login/guarded-client.ts'
import { postgresArtifactStore } from './voice/artifact-store.ts'
import { createRun } from './create-run.ts'
import type { DatabaseOptions } from './open-database.ts'

/** What background jobs need of the database, through the login of `parley_learning`. */
export interface Learning {
  readonly ingest: IngestStore
  readonly learning: LearningStore
  readonly artifacts: ArtifactStore
  readonly embeddings: EmbeddingsStore
  readonly health: HealthLog
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
  const run = createRun(pool, databaseUrl)
  const host = { run, transact: createTransact(pool, databaseUrl), jobs: createJobQueue(run) }
  return {
    ingest: postgresIngestStore(host),
    learning: postgresLearningStore(host),
    artifacts: postgresArtifactStore(host),
    embeddings: postgresEmbeddingsStore(host),
    health: postgresHealthLog(host),
    close: () => pool.end(),
  }
}
