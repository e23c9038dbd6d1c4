import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: [
      '{core,adapters,apps}/*/src/**/*.test.ts',
      'bench/src/**/*.test.ts',
      'tests/**/*.test.ts',
      'demo/*.test.ts',
    ],
    globalSetup: ['adapters/postgres/src/testing/global-setup.ts'],
    // Most of the time is spent waiting for processes that the tests have started.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
