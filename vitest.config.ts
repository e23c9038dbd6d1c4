import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import longTests from './scripts/long-tests.json' with { type: 'json' }
import { TestOrder } from './tests/support/test-order.ts'

// Programs that tests start take half the time where their code was compiled before.
process.env['NODE_COMPILE_CACHE'] = join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from the default export
export default defineConfig({
  test: {
    include: [
      '{core,adapters,apps}/*/{src,scripts}/**/*.test.ts',
      'bench/src/**/*.test.ts',
      'tests/**/*.test.ts',
      'demo/*.test.ts',
    ],
    // `npm run soak` runs those as well.
    exclude: ['**/node_modules/**', ...(process.env['PARLEY_SOAK'] ? [] : longTests)],
    // Each file would load everything anew.
    isolate: false,
    globalSetup: ['adapters/postgres/src/testing/global-setup.ts'],
    // Tests of speech, processes and pages wait for real time; others use the cores meanwhile.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: TestOrder },
    // Whoever waits for something waits as long as a busy machine takes.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
