import type { EmbeddingsStore, IngestStore, LearningStore } from '@parley/knowledge'
import type { ArtifactStore } from '@parley/reflections'
import { type HealthLog, postgresHealthLog } from './health/health-log.ts'
import { createJobQueue } from './jobs/queues.ts'
import { postgresEmbeddingsStore } from './knowledge/embeddings.ts'
import { postgresIngestStore } from './knowledge/ingest-store.ts'
import { postgresLearningStore } from './knowledge/learning-store.ts'
import { toPlatformError } from './login/database-error.ts'
import { createPool, toConnectionConfig } from './login/guarded-client.ts'
import type { DatabaseOptions } from './open-database.ts'
import { postgresArtifactStore } from './reflections/artifact-store.ts'
import { createRun, createTransact } from './run-statements.ts'

/** The stores of background jobs, through the login of `parley_learning`. */
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
  const config = toConnectionConfig(databaseUrl, 'parley_learning', 'parley-learning')
  const pool = createPool({ ...config, max: 8, idleTimeoutMillis: 60_000 }, (error) =>
    onError(toPlatformError(error, databaseUrl)),
  )
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
