/** Databases for tests. */
export { type FreshDatabase, freshDatabase, openTransaction, tablesHolding } from './fresh-database.ts'
export { PGVECTOR_URL, usePgvectorServer } from './test-server.ts'
