/** Databases for tests. */
export { type FreshDatabase, freshDatabase, openTransaction, findTablesContaining } from './fresh-database.ts'
export { PGVECTOR_URL, usePgvectorServer } from './test-server.ts'
