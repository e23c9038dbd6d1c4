import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './tests/support/slow-first.ts'

/** Proofs that take long: `npm run soak` runs them. */
const LONG = [
  'apps/voice/src/clients/{dropped-calls,four-calls,spoken-call}.test.ts',
  'apps/voice/src/conversation/spoken-round-trip.test.ts',
  'apps/voice/src/{,agent-tests/}vendor-cli.test.ts',
  'tests/ingest/{hostile,kills}.test.ts',
  'tests/voice-browser.test.ts',
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
    // Each file would load everything anew.
    isolate: false,
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
