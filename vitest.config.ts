import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import longProofs from './scripts/long-proofs.json' with { type: 'json' }
import { SlowFirst } from './tests/support/slow-first.ts'

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: [
      '{core,adapters,apps}/*/src/**/*.test.ts',
      'bench/src/**/*.test.ts',
      'tests/**/*.test.ts',
      'demo/*.test.ts',
    ],
    // `npm run soak` runs those as well.
    exclude: ['**/node_modules/**', ...(process.env['PARLEY_SOAK'] ? [] : longProofs)],
    // Each file would load everything anew.
    isolate: false,
    // Processes that tests start load what earlier ones have compiled, where `parley` itself keeps that too.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
    globalSetup: ['adapters/postgres/src/testing/global-setup.ts'],
    // Most of the time is spent waiting for processes that the tests have started.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: SlowFirst },
    // Whoever waits for something waits as long as a busy machine takes.
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    // Processes and browsers on a busy machine: what fails twice is broken, what failed once is named in the report.
    retry: 1,
    hookTimeout: 120_000,
  },
})
