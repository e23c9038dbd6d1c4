// `npm run soak`: the proofs that take too long for `npm test`, with many more kills and readers.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole, environment, install, root } from './setup.mjs'

const MORE = {
  PARLEY_SOAK: '1',
  PARLEY_KILLS: '500',
  PARLEY_DATABASE_CRASHES: '50',
  PARLEY_CRASH_SESSIONS: '40',
  PARLEY_KEY_KILLS: '10',
  PARLEY_READERS: '500',
  PARLEY_CHANGED_FILES: '200',
  PARLEY_WORKER_KILLS: '30',
  PARLEY_REBUILD_KILLS: '100',
  PARLEY_STARTS: '200',
  PARLEY_CHAT_LINES: '1000000',
}

/** What `npm test` runs too, with less. */
const WITH_MORE = [
  'tests/kills',
  'tests/readers',
  'adapters/documents/src/extract-text.test.ts',
  'tests/artifacts',
  'tests/voice-load',
]

install()
buildConsole()
const longProofs = JSON.parse(readFileSync(join(root, 'scripts', 'long-proofs.json'), 'utf8'))
const { status } = spawnSync('vitest', ['run', ...longProofs, ...WITH_MORE], {
  cwd: root,
  env: { ...environment, ...MORE, ...process.env, PATH: environment.PATH },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
