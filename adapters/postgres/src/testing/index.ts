/** A database of its own for every test that asks. */
export { freshDatabase, type FreshDatabase } from './fresh-database.ts'
export { openTransaction } from './open-transaction.ts'
export { PGVECTOR_URL, usePgvectorServer } from './pgvector-server.ts'
export { tablesHolding } from './tables-holding.ts'
