/** Where a server with pgvector is, which the bundled one lacks: tests that need it run where this is given. */
export const PGVECTOR_URL = process.env.PARLEY_TEST_PGVECTOR_URL

/** From now on the databases of this test file are made there. */
export function usePgvectorServer(): void {
  process.env.PARLEY_TEST_DATABASE_URL = PGVECTOR_URL
}
