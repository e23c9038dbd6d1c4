import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Proofs that take long: `npm run soak` runs them. */
const LONG = [
  'apps/voice/src/clients/{dropped,four}-calls.test.ts',
  'apps/voice/src/conversation/spoken-round-trip.test.ts',
  'tests/ingest/hostile.test.ts',
]

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: [
      '{core,adapters,apps}/*/src/**/*.test.ts',
      'bench/src/**/*.test.ts',
      'tests/**/*.test.ts',
      'demo/*.test.ts',
    ],
    exclude: ['**/node_modules/**', ...(process.env['PARLEY_SOAK'] ? [] : LONG)],
    globalSetup: ['adapters/postgres/src/testing/global-setup.ts'],
    // Most of the time is spent waiting for processes that the tests have started.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
