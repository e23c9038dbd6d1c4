// `npm run soak`: the proofs that take too long for `npm test`, with many more kills and readers.
import { spawnSync } from 'node:child_process'
import { environment, install, root } from './setup.mjs'

const MORE = {
  PARLEY_SOAK: '1',
  PARLEY_KILLS: '500',
  PARLEY_READERS: '500',
  PARLEY_WORKER_KILLS: '30',
  PARLEY_CHAT_LINES: '1000000',
}

install()
const PROOFS = [
  'tests/kills',
  'tests/readers',
  'tests/ingest',
  'apps/voice/src/clients',
  'apps/voice/src/conversation/spoken-round-trip.test.ts',
]
const { status } = spawnSync('vitest', ['run', ...PROOFS], {
  cwd: root,
  env: { ...environment, ...MORE, ...process.env, PATH: environment.PATH },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
