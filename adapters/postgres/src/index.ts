/** Postgres: the bundled server, the schema, and the stores of the server, the background jobs and the local provider. */
export type { HealthWindow, StoredProvider, SummedSample } from './health/health-reader.ts'
export {
  type HealthRecorder,
  createHealthRecorder,
  toFailedOutcome,
  watchModel,
} from './health/health-recorder.ts'
export { type Database, type PersonSettings, type SignInStore, openDatabase } from './open-database.ts'
export { addSpreads, EMPTY_SPREAD, type Spread, estimateQuantileMs } from './health/minute-samples.ts'
export { type JobHandlers, startJobWorker } from './jobs/start-job-worker.ts'
export type { ServerAudit } from './knowledge/audit.ts'
export { migrate } from './migrate/migrate.ts'
export { type Learning, openLearning } from './open-learning.ts'
export { openProvider } from './provider/open-provider.ts'
export type {
  JsonBody,
  WebhookDelivery,
  DocumentPage,
  NewWebhookDelivery,
  ProviderPage,
  ProviderStore,
  StoredConversation,
  StoredDocument,
} from './provider/provider-store.ts'
export type {
  IdempotencyStore,
  KeyedRequest,
  RequestClaim,
  StoredResponse,
} from './requests/idempotency-store.ts'
export { toPsqlUrl, toRoleUrl } from './login/database-url.ts'
export { findBinaries, readSecret } from './server/cluster.ts'
export { type BundledPostgres, startBundledPostgres } from './server/start-bundled-postgres.ts'
export type { TokenStore } from './tokens/token-store.ts'
