/** A database of its own for every test that asks. */
export { type FreshDatabase, freshDatabase, openTransaction, tablesHolding } from './fresh-database.ts'
export { PGVECTOR_URL, usePgvectorServer } from './test-server.ts'
