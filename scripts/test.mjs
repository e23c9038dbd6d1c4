// `npm test`: every check there is, and one last line that counts them. See HELP below for its options.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsole, environment, install, root } from './setup.mjs'

const HELP = `npm test [-- OPTION]

  (none)      every check: format, types, lint, dead code, and all tests but those of \`npm run soak\`
  --static    only what does not run the code; \`npm run check\` is the same
  --changed   only what the changes since the last commit reach, new files included
  --help      print this help
`

const CHECKS = [
  { name: 'format', command: 'oxfmt', args: ['--check'], takesFiles: true },
  typeCheck('types', 'tsconfig.json'),
  typeCheck('types of the pure core', 'core/tsconfig.pure.json'),
  typeCheck('types of the console', 'apps/console/tsconfig.json'),
  { name: 'lint and import cycles', command: 'oxlint', args: ['--deny-warnings'], takesFiles: true },
  { name: 'dead code', command: 'knip', args: ['--no-progress'] },
]

/** Tests that reach code by other ways than imports: by a process, a bundle or a file that is read. */
const REACHED_OTHERWISE = [
  { change: /^apps\/console\//, tests: ['tests/console'] },
  {
    change: /^(apps\/(cli|api|worker|voice)|adapters|core)\/.*(?<!\.test)\.ts$/,
    tests: ['tests/up.test.ts'],
  },
  { change: /^adapters\/postgres\/migrations\//, tests: ['adapters/postgres', 'apps/api', 'tests'] },
  {
    change: /^(docs|demo)\/|^[^/]+\.(md|json)$/,
    tests: ['tests/architecture.test.ts', 'tests/lock-file.test.ts'],
  },
]

const [option] = process.argv.slice(2)
if (option === '--help') {
  process.stdout.write(HELP)
} else if (option !== undefined && !['--static', '--changed'].includes(option)) {
  process.stderr.write(`npm test has no option ${option}.\n\n${HELP}`)
  process.exitCode = 2
} else {
  install()
  buildConsole()
  const changed = option === '--changed' ? changedFiles() : undefined
  const results = changed?.length === 0 ? [] : CHECKS.map((one) => check(one, changed))
  if (option !== '--static') results.push(changed ? changedTests(changed) : tests([]))
  const passed = results.reduce((sum, result) => sum + result.passed, 0)
  const failed = results.reduce((sum, result) => sum + result.failed, 0)
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  process.exitCode = failed === 0 && (passed > 0 || changed?.length === 0) ? 0 : 1
}

/** Checks again only what changed since the last run, and what depends on it. */
function typeCheck(name, project) {
  const cache = join('node_modules', '.cache', 'types', `${project.replaceAll('/', '-')}.tsbuildinfo`)
  return { name, command: 'tsc', args: ['-p', project, '--incremental', '--tsBuildInfoFile', cache] }
}

function check({ name, command, args, takesFiles = false }, changed) {
  const began = Date.now()
  const files = takesFiles ? (changed?.filter(isSource) ?? []) : []
  if (takesFiles && changed && files.length === 0) return { passed: 0, failed: 0 }
  const { status, stdout, stderr } = run(command, [...args, ...files], 'pipe')
  const good = status === 0
  process.stdout.write(`  ${good ? '✓' : '✗'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`)
  if (!good) process.stdout.write(`${stdout}${stderr}\n`)
  return { passed: good ? 1 : 0, failed: good ? 0 : 1 }
}

function isSource(file) {
  return /\.(ts|tsx|mjs)$/.test(file) && existsSync(join(root, file))
}

/** Changed, new or removed since the last commit. */
function changedFiles() {
  const { stdout } = run('git', ['status', '--porcelain', '-uall', '--no-renames', '-z'], 'pipe')
  return stdout
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => line.slice(3))
}

function changedTests(changed) {
  if (changed.length === 0) {
    process.stdout.write('  nothing is changed since the last commit\n')
    return { passed: 0, failed: 0 }
  }
  const { stdout } = run('vitest', ['list', '--changed', '--filesOnly', '--json'], 'pipe')
  const imported = JSON.parse(stdout.slice(stdout.indexOf('[')) || '[]').map(({ file }) => file)
  const otherwise = REACHED_OTHERWISE.filter(({ change }) => changed.some((file) => change.test(file)))
  const files = [...new Set([...imported, ...otherwise.flatMap((one) => one.tests)])]
  if (files.length === 0) {
    process.stdout.write('  no test reaches these changes\n')
    return { passed: 0, failed: 0 }
  }
  return tests(files)
}

/** All of them where no file is named. */
function tests(files) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'))
  const report = join(folder, 'report.json')
  try {
    const args = ['run', ...files, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const { status } = run('vitest', args, 'inherit')
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
    // A file that does not even load, or an error outside of any test, shows only in the status.
    return { passed: numPassedTests, failed: numFailedTests || (status === 0 ? 0 : 1) }
  } catch {
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(command, args, stdio) {
  return spawnSync(command, args, {
    cwd: root,
    env: { ...environment, CI: '1' },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio,
  })
}
