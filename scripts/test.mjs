// `npm test`: every check there is, and one last line that counts them. `--static` leaves out what runs the code.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsole, environment, install, root } from './setup.mjs'

const CHECKS = [
  ['format', 'oxfmt', ['--check']],
  ['types', 'tsc', ['-p', 'tsconfig.json']],
  ['types of the pure core', 'tsc', ['-p', 'core/tsconfig.pure.json']],
  ['types of the console', 'tsc', ['-p', 'apps/console/tsconfig.json']],
  ['lint and import cycles', 'oxlint', ['--deny-warnings']],
  ['dead code', 'knip', ['--no-progress']],
]

install()
buildConsole()
const results = CHECKS.map(check)
if (!process.argv.includes('--static')) results.push(tests())

const passed = results.reduce((sum, result) => sum + result.passed, 0)
const failed = results.reduce((sum, result) => sum + result.failed, 0)
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

function check([name, command, args]) {
  const began = Date.now()
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const good = status === 0
  process.stdout.write(`  ${good ? '✓' : '✗'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`)
  if (!good) process.stdout.write(`${stdout}${stderr}\n`)
  return { passed: good ? 1 : 0, failed: good ? 0 : 1 }
}

function tests() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'))
  const report = join(folder, 'report.json')
  try {
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const { status } = spawnSync('vitest', args, {
      cwd: root,
      env: { ...environment, CI: '1' },
      stdio: 'inherit',
    })
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
    // A file that does not even load, or an error outside of any test, shows only in the status.
    return { passed: numPassedTests, failed: numFailedTests || (status === 0 ? 0 : 1) }
  } catch {
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
