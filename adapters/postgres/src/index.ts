/** Postgres: the server that comes with Parley, the migrations, and what serving keeps in the database. */
export { migrate, type MigrateOptions } from './migrate/migrate.ts'
export { type Database, type DatabaseOptions, openDatabase } from './open-database.ts'
export { findBinaries } from './server/binaries.ts'
export { readSecret } from './server/read-secret.ts'
export {
  type BundledPostgres,
  type BundledPostgresOptions,
  startBundledPostgres,
} from './server/start-bundled-postgres.ts'
export type { NewToken, TokenRecord, TokenStore } from './tokens/token-store.ts'
