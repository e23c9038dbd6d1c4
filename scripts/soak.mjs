// `npm run soak`: the proofs that take too long for `npm test`, with many more kills and readers.
import { spawnSync } from 'node:child_process'
import { environment, install, root } from './setup.mjs'

const MORE = {
  PARLEY_SOAK: '1',
  PARLEY_KILLS: '500',
  PARLEY_KEY_KILLS: '10',
  PARLEY_READERS: '500',
  PARLEY_CHANGED_FILES: '200',
  PARLEY_WORKER_KILLS: '30',
  PARLEY_REBUILD_KILLS: '100',
  PARLEY_STARTS: '200',
  PARLEY_CHAT_LINES: '1000000',
}

install()
const PROOFS = [
  'tests/kills',
  'tests/readers',
  'tests/ingest',
  'adapters/history/src/key/rotate-key.test.ts',
  'adapters/documents/src/extract-text.test.ts',
  'tests/artifacts',
  'tests/voice-load',
  'tests/voice-browser.test.ts',
  'apps/voice/src/clients',
  'apps/voice/src/conversation/spoken-round-trip.test.ts',
  'apps/voice/src/vendor-cli.test.ts',
  'apps/voice/src/agent-tests/vendor-cli.test.ts',
]
const { status } = spawnSync('vitest', ['run', ...PROOFS], {
  cwd: root,
  env: { ...environment, ...MORE, ...process.env, PATH: environment.PATH },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
