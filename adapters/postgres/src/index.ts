/** Postgres: the bundled server, the schema, and the stores of the server, the background jobs and the local provider. */
export type { HealthViewer, HealthWindow, StoredProvider, SummedSample } from './health/health-reader.ts'
export {
  type HealthRecorder,
  createHealthRecorder,
  toFailedOutcome,
  watchModel,
} from './health/health-recorder.ts'
export {
  type Database,
  type DatabaseOptions,
  type HealthStore,
  type PersonSettings,
  type SignInStore,
  openDatabase,
} from './open-database.ts'
export { addSpreads, EMPTY_SPREAD, type Spread, estimateQuantileMs } from './health/minute-samples.ts'
export type { JobName, JobData } from './jobs/queues.ts'
export {
  type JobHandlers,
  startJobWorker,
  type JobWorker,
  type JobWorkerOptions,
} from './jobs/start-job-worker.ts'
export type { ServerAudit, ServerAuditEntry } from './knowledge/audit.ts'
export type { NewPublicScope, PublicScopes } from './knowledge/public-scopes.ts'
export { migrate, type MigrateOptions } from './migrate/migrate.ts'
export { type Learning, openLearning } from './open-learning.ts'
export { openProvider } from './provider/open-provider.ts'
export type {
  JsonBody,
  ConversationFilter,
  ConversationState,
  ConversationStatus,
  ConversationStore,
  WebhookDelivery,
  DeliveryStore,
  DocumentPage,
  DocumentStore,
  NewWebhookDelivery,
  NewDocument,
  ProviderPage,
  ProviderStore,
  StoredSignedUrl,
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
export { DATABASE_ROLES, type DatabaseRole, toPsqlUrl, toRoleUrl } from './login/database-url.ts'
export { findBinaries, readSecret } from './server/cluster.ts'
export {
  type BundledPostgres,
  type BundledPostgresOptions,
  startBundledPostgres,
} from './server/start-bundled-postgres.ts'
export type { ListedToken, NewToken, TokenReach, TokenRecord, TokenStore } from './tokens/token-store.ts'
