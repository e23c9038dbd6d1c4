// `npm run soak`: runs the tests that take too long for `npm test`, with many more kills, readers and calls.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsole, environment, getToolPath, install, pinnedNode, root } from './setup.mjs'

const HELP = `npm run soak [-- PATH …]

Runs the tests that take too long for \`npm test\`, and records the result in docs/soak.md. Takes 12 to 20 minutes on two
cores.

  PATH     only the tests of these files or folders; the result is not recorded
  --help   print this help

Environment variables such as PARLEY_KILLS change the numbers; then the result is not recorded either.
`

const LARGER_NUMBERS = {
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

/** Tests of `npm test` that run here with larger numbers. */
const ENLARGED_TESTS = [
  'tests/kills',
  'tests/readers',
  'adapters/documents/src/extract-text.test.ts',
  'tests/artifacts',
  'tests/voice-load',
]

const RECORD = join(root, 'docs', 'soak.md')
const ROWS = '| --- | --- | --- | --- | --- |\n'

const part = process.argv.slice(2)
const option = part.find((argument) => argument.startsWith('-'))
if (option === '--help') {
  process.stdout.write(HELP)
} else if (option !== undefined) {
  process.stderr.write(`npm run soak has no option ${option}.\n\n${HELP}`)
  process.exitCode = 2
} else {
  main()
}

function main() {
  install()
  buildConsole()
  const longTests = JSON.parse(readFileSync(join(root, 'scripts', 'long-tests.json'), 'utf8'))
  const files = part.length > 0 ? part : [...longTests, ...ENLARGED_TESTS]
  const changedNumbers = Object.keys(LARGER_NUMBERS).filter((name) => process.env[name] !== undefined)
  process.stdout.write(
    `  ${files.length} files and folders; a full run takes 12 to 20 minutes on two cores\n`,
  )

  const began = Date.now()
  const commit =
    git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' and changes')
  const { status, report } = soak(files)
  const minutes = Math.round((Date.now() - began) / 60_000)
  const tests = report?.testResults.flatMap((file) => file.assertionResults) ?? []
  const figures = tests.flatMap(({ meta }) => meta?.figures ?? [])
  const passed = report?.numPassedTests ?? 0
  const failed = report?.numFailedTests || (status === 0 ? 0 : 1)
  for (const figure of figures) process.stdout.write(`  ${figure}\n`)
  for (const { fullName, status: how } of tests) {
    if (how === 'failed') process.stdout.write(`  ✗ ${fullName}\n`)
  }
  const result = report ? `${passed} passed, ${failed} failed` : 'vitest ended without a report'
  if (changedNumbers.length > 0)
    process.stdout.write(`  not recorded, because of ${changedNumbers.join(', ')}\n`)
  else if (part.length === 0) recordRow([today(), commit, minutes, result, figures.join('; ')])
  process.stdout.write(`\n${passed} passed, ${failed} failed in ${minutes} minutes\n`)
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1
}

function soak(paths) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-soak-'))
  const file = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const { status: code } = spawnSync(pinnedNode, [getToolPath('vitest'), 'run', ...paths, ...reporters], {
      cwd: root,
      env: { ...environment, ...LARGER_NUMBERS, ...process.env, PATH: environment.PATH, CI: '1' },
      stdio: 'inherit',
    })
    return { status: code, report: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function git(...args) {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim()
}

function today() {
  return new Date().toISOString().slice(0, 10)
}

/** Adds a row to docs/soak.md; the newest is first. */
function recordRow(cells) {
  const text = readFileSync(RECORD, 'utf8')
  writeFileSync(
    RECORD,
    text.replace(ROWS, () => `${ROWS}| ${cells.join(' | ')} |\n`),
  )
  process.stdout.write('  recorded in docs/soak.md\n')
}
