/** A database of its own for every test that asks. */
export { freshDatabase, type FreshDatabase } from './fresh-database.ts'
