import type { PoolConfig } from 'pg'
import { type MySettings, type PersonId, PlatformError } from '@parley/contracts'
import type { EventRelay, SessionStore } from '@parley/engine'
import type { CitationStore, ReflectionStore, Retriever } from '@parley/knowledge'
import type {
  ReflectionSessionStore,
  ArtifactReader,
  ShareLinkStore,
  SyncStore,
  TranscriptStore,
} from '@parley/reflections'
import { type HealthLog, postgresHealthLog } from './health/health-log.ts'
import { type HealthReader, postgresHealthReader } from './health/health-reader.ts'
import { CLAIM_RETRY, FIND_FAILED } from './health/statements.ts'
import { JOB_NAMES, type JobName, type JobData, createJobQueue } from './jobs/queues.ts'
import { RECORD_ACTION, type ServerAudit, postgresServerAudit } from './knowledge/audit.ts'
import { postgresCitationStore } from './knowledge/citation-store.ts'
import { KEEPS_VECTORS, postgresEmbeddingsRetriever } from './knowledge/embeddings.ts'
import { type PublicScopes, postgresPublicScopes } from './knowledge/public-scopes.ts'
import { postgresReflectionStore } from './knowledge/reflection-store.ts'
import type { StoreHost } from './knowledge/store-host.ts'
import { postgresRetriever } from './knowledge/retriever.ts'
import { toPlatformError } from './login/database-error.ts'
import { deriveCapabilityKey, deriveRelayKey, deriveResponseKey } from './login/database-url.ts'
import { toConnectionConfig, createPool } from './login/guarded-client.ts'
import { openPresence } from './presence.ts'
import { postgresRelay } from './relay/postgres-relay.ts'
import { type IdempotencyStore, postgresIdempotencyStore } from './requests/idempotency-store.ts'
import {
  type Run,
  createCommitWatch,
  createRun,
  createTransact,
  createTransactMember,
} from './run-statements.ts'
import { createPostgresSessionStore } from './sessions/session-store.ts'
import { ID_BY_HASH, type TokenStore, postgresTokenStore } from './tokens/token-store.ts'
import { postgresArtifactReader } from './reflections/artifact-reader.ts'
import { postgresReflectionSessionStore } from './reflections/reflection-session-store.ts'
import { postgresShareLinkStore } from './reflections/share-link-store.ts'
import { createExclusiveRunner, postgresSyncStore } from './reflections/sync-store.ts'
import { postgresTranscriptStore } from './reflections/transcript-store.ts'
import { ignoreRows } from './run-statements.ts'
import { statement } from './statement.ts'

export interface DatabaseOptions {
  readonly databaseUrl: string
  /** Receives errors that no caller waits for, such as a lost connection. */
  readonly onError?: (error: unknown) => void
}

/** The stores of the server, through the login of `parley_serving`; public searches use their own login. */
export interface Database {
  readonly sessions: SessionStore
  /** Relays events to the other processes on this database. */
  readonly relay: EventRelay
  readonly tokens: TokenStore
  readonly signIns: SignInStore
  readonly audit: ServerAudit
  readonly reflections: ReflectionStore
  readonly retriever: Retriever
  readonly citations: CitationStore
  readonly publicScopes: PublicScopes
  readonly runtime: ArtifactReader
  readonly syncs: SyncStore
  readonly sessionRows: ReflectionSessionStore
  readonly shareLinks: ShareLinkStore
  readonly transcripts: TranscriptStore
  readonly health: HealthStore
  readonly personSettings: PersonSettings
  readonly idempotency: IdempotencyStore
  /** Throws `database_unavailable` while the database does not answer. */
  ready(): Promise<void>
  close(): Promise<void>
}

/** The database must have been migrated. */
export async function openDatabase({ databaseUrl, onError = () => {} }: DatabaseOptions): Promise<Database> {
  const config = toConnectionConfig(databaseUrl, 'parley_serving', 'parley')
  const report = (error: unknown) => onError(toPlatformError(error, databaseUrl))
  const presence = await openPresence({ databaseUrl, config, onError: report })
  const openPool = (options: PoolConfig) =>
    createPool({ ...config, idleTimeoutMillis: 60_000, statement_timeout: 10_000, ...options }, report)
  // Statements find their rows by key, so a generic plan is good enough.
  const pool = openPool({ max: 20, options: '-c plan_cache_mode=force_generic_plan' })
  const publicPool = openPool({
    ...toConnectionConfig(databaseUrl, 'parley_public', 'parley-public'),
    max: 8,
  })
  const memberPool = openPool({
    ...toConnectionConfig(databaseUrl, 'parley_member', 'parley-member'),
    max: 4,
    idleTimeoutMillis: 10_000,
  })
  // pg-boss reads a queue's options once, within a transaction: that must not wait for a second connection of its pool.
  const queuesPool = createPool({ ...config, max: 1, idleTimeoutMillis: 1_000 }, report)

  const watch = createCommitWatch()
  const run = createRun(pool, databaseUrl, watch)
  const transact = createTransact(pool, databaseUrl, watch)
  const jobs = createJobQueue(createRun(queuesPool, databaseUrl))
  const transactPublic = createTransact(publicPool, databaseUrl)
  const transactMember = createTransactMember(createTransact(memberPool, databaseUrl))
  const capabilityKey = deriveCapabilityKey(databaseUrl)
  const relay = postgresRelay(presence, deriveRelayKey(databaseUrl))
  const closing = new AbortController()
  const retriever = postgresRetriever({ run, transact, transactPublic, transactMember })
  const byVector = postgresEmbeddingsRetriever({ transact, transactPublic, transactMember })
  const close = async () => {
    closing.abort()
    await Promise.all([pool.end(), publicPool.end(), memberPool.end(), queuesPool.end()])
    await relay.leave()
    await presence.close()
  }
  const keepsVectors = await run<{ is_so: boolean }>(KEEPS_VECTORS).catch(async (failure: unknown) => {
    await close()
    throw failure
  })
  return {
    sessions: createPostgresSessionStore({ run, presence, closing: closing.signal }),
    relay,
    tokens: postgresTokenStore(run),
    signIns: postgresSignInStore(run),
    audit: postgresServerAudit(run),
    reflections: postgresReflectionStore({ run, transact, jobs, transactMember, capabilityKey }),
    retriever: keepsVectors[0]?.is_so ? { ...retriever, byVector } : retriever,
    citations: postgresCitationStore({ run, transact, transactPublic, transactMember }),
    publicScopes: postgresPublicScopes(run, capabilityKey),
    runtime: postgresArtifactReader({ run, transact, transactMember }),
    syncs: postgresSyncStore({
      run,
      alone: createExclusiveRunner({ databaseUrl, config, closing: closing.signal }),
    }),
    sessionRows: postgresReflectionSessionStore({ run, transact, jobs }),
    transcripts: postgresTranscriptStore({ run, transact, jobs }),
    shareLinks: postgresShareLinkStore({ run, transact }),
    health: postgresHealthStore({ run, transact, jobs }),
    personSettings: postgresPersonSettings(run),
    idempotency: postgresIdempotencyStore({ run, watch, secret: deriveResponseKey(databaseUrl) }),
    async ready() {
      try {
        await run(ALIVE)
      } catch (cause) {
        if (cause instanceof PlatformError && cause.code === 'database_unavailable') throw cause
        throw new PlatformError('database_unavailable', { message: String(cause) }, { cause })
      }
    },
    close,
  }
}

const ALIVE = statement('select 1')

/** The console settings of each person. */
export interface PersonSettings {
  /** Defaults if nothing was set. */
  read(personId: PersonId): Promise<MySettings>
  write(personId: PersonId, settings: MySettings): Promise<void>
}

const postgresPersonSettings = (run: Run): PersonSettings => ({
  async read(personId) {
    const [row] = await run<MySettings>(READ, [personId])
    return { tour: row?.tour ?? 'due' }
  },

  write: (personId, { tour }) => ignoreRows(run(WRITE, [personId, tour])),
})

const READ = statement('select tour from person_settings where person_id = $1')

const WRITE = statement(`insert into person_settings (person_id, tour) values ($1, $2)
  on conflict (person_id) do update set tour = excluded.tour`)

/** Signed-in browsers, each with its own secret. Only the hash is stored. */
export interface SignInStore {
  /** Has the rights of the token, while both are valid. Also deletes expired sign-ins. */
  create(signIn: {
    readonly tokenHash: Uint8Array
    readonly secretHash: Uint8Array
    readonly expiresAt: string
  }): Promise<void>
  end(secretHash: Uint8Array): Promise<void>
}

const postgresSignInStore = (run: Run): SignInStore => ({
  create: ({ tokenHash, secretHash, expiresAt }) =>
    ignoreRows(run(CREATE, [Buffer.from(tokenHash), Buffer.from(secretHash), expiresAt])),
  end: (secretHash) => ignoreRows(run(END, [Buffer.from(secretHash)])),
})

const CREATE = statement(`with over as (delete from sign_ins where expires_at <= now())
  insert into sign_ins (secret_hash, token_id, expires_at)
  select $2, id, $3::timestamptz from tokens where id = ${ID_BY_HASH}`)

const END = statement('delete from sign_ins where secret_hash = $1')

/** The health of the processes on this database, and their failed jobs. */
export interface HealthStore extends HealthLog, HealthReader {
  readonly retryJob: RetryJob
}

const postgresHealthStore = (host: StoreHost): HealthStore => ({
  ...postgresHealthLog(host),
  ...postgresHealthReader(host.run),
  retryJob: retryJob(host),
})

type RetriedJob =
  | { readonly kind: 'retried'; readonly queue: JobName }
  /** No such job, or it has not failed. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'retried_before' }

/** Retries a failed job, once, and records it. */
type RetryJob = (jobId: string, by: PersonId) => Promise<RetriedJob>

const retryJob =
  ({ transact, jobs }: StoreHost): RetryJob =>
  (jobId, by) =>
    transact(async (execute) => {
      const [job] = await execute<FailedRow>(FIND_FAILED, [jobId, [...JOB_NAMES]])
      if (!job) return { kind: 'unknown' }
      if ((await execute(CLAIM_RETRY, [jobId])).length === 0) return { kind: 'retried_before' }
      await jobs.send(job.name, job.data, execute, job.singleton_key ?? undefined)
      await execute(RECORD_ACTION, [null, by, 'job_retried', jobId])
      return { kind: 'retried', queue: job.name }
    })

interface FailedRow {
  readonly name: JobName
  readonly data: JobData[JobName]
  readonly singleton_key: string | null
}
