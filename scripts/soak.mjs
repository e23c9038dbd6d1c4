// `npm run soak`: the proofs that take too long for `npm test`, with many more kills, readers and calls.
// `npm run soak -- tests/kills` runs a part of it, which is not recorded.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
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

const RECORD = join(root, 'docs', 'soak.md')
const ROWS = '| --- | --- | --- | --- | --- |\n'

install()
buildConsole()
const longProofs = JSON.parse(readFileSync(join(root, 'scripts', 'long-proofs.json'), 'utf8'))
const part = process.argv.slice(2)
const files = part.length > 0 ? part : [...longProofs, ...WITH_MORE]
process.stdout.write(`  ${files.length} files and folders; all of them take 15 to 20 minutes on two cores\n`)

const began = Date.now()
const commit =
  git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' and changes')
const { status, report } = soak(files)
const minutes = Math.round((Date.now() - began) / 60_000)
const figures = report.testResults.flatMap((file) =>
  file.assertionResults.flatMap(({ meta }) => meta?.figures ?? []),
)
const failed = report.numFailedTests || (status === 0 ? 0 : 1)
for (const figure of figures) process.stdout.write(`  ${figure}\n`)
for (const { fullName, status: how } of report.testResults.flatMap((file) => file.assertionResults)) {
  if (how === 'failed') process.stdout.write(`  ✗ ${fullName}\n`)
}
if (part.length === 0) record()
process.stdout.write(`\n${report.numPassedTests} passed, ${failed} failed in ${minutes} minutes\n`)
process.exitCode = failed === 0 && report.numPassedTests > 0 ? 0 : 1

function soak(paths) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-soak-'))
  const file = join(folder, 'report.json')
  try {
    const args = ['run', ...paths, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const { status: code } = spawnSync('vitest', args, {
      cwd: root,
      env: { ...environment, ...MORE, ...process.env, PATH: environment.PATH, CI: '1' },
      stdio: 'inherit',
    })
    return { status: code, report: JSON.parse(readFileSync(file, 'utf8')) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function git(...args) {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim()
}

/** A row in docs/soak.md, the newest first. */
function record() {
  const result = `${report.numPassedTests} passed, ${failed} failed`
  const row = `| ${new Date().toISOString().slice(0, 10)} | ${commit} | ${minutes} | ${result} | ${figures.join('; ')} |\n`
  const text = readFileSync(RECORD, 'utf8')
  writeFileSync(RECORD, text.replace(ROWS, `${ROWS}${row}`))
  process.stdout.write('  recorded in docs/soak.md\n')
}
