/** Postgres: the bundled server, the schema, and the stores of the server, the background jobs and the local provider. */
export type { HealthViewer, HealthWindow, StoredProvider, SummedSample } from './health/health-reader.ts'
export {
  type HealthRecorder,
  createHealthRecorder,
  failedOutcome,
  watchedModel,
} from './health/watched-model.ts'
export {
  type Database,
  type DatabaseOptions,
  type HealthStore,
  type PersonSettings,
  type SignInStore,
  openDatabase,
} from './open-database.ts'
export { addSpreads, NOTHING_TIMED, type Spread, withinMs } from './health/minute-samples.ts'
export type { JobName, Jobs } from './jobs/queues.ts'
export { type JobHandlers, startWorker, type Worker, type WorkerOptions } from './jobs/start-worker.ts'
export type { ServerAudit, ServerAuditEntry } from './knowledge/audit.ts'
export type { NewPublicScope, PublicScopes } from './knowledge/public-scopes.ts'
export { migrate, type MigrateOptions } from './migrate/migrate.ts'
export { type Learning, openLearning } from './open-learning.ts'
export { openProvider } from './provider/open-provider.ts'
export type {
  Body,
  ConversationPage,
  ConversationState,
  ConversationStatus,
  ConversationStore,
  Delivery,
  DeliveryStore,
  DocumentPage,
  DocumentStore,
  NewDelivery,
  NewDocument,
  PageOf,
  ProviderStore,
  SignedUrl,
  SignedUrlStore,
  StoredConversation,
  StoredDocument,
} from './provider/provider-store.ts'
export type {
  IdempotencyStore,
  KeyedRequest,
  RequestClaim,
  StoredResponse,
} from './requests/idempotency-store.ts'
export { DATABASE_ROLES, type DatabaseRole, psqlUrlAs, urlAs } from './login/database-url.ts'
export { findBinaries, readSecret } from './server/cluster.ts'
export {
  type BundledPostgres,
  type BundledPostgresOptions,
  startBundledPostgres,
} from './server/start-bundled-postgres.ts'
export type { ListedToken, NewToken, TokenReach, TokenRecord, TokenStore } from './tokens/token-store.ts'
