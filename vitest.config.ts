import { defineConfig } from 'vitest/config'

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: ['{core,adapters,apps}/*/src/**/*.test.ts', 'bench/src/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['adapters/postgres/src/testing/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
