// `npm test`: runs all checks and tests, and prints their number in the last line. HELP below lists the options.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConsole, environment, getToolPath, install, pinnedNode, root } from './setup.mjs'

const HELP = `npm test [-- OPTION]

  (none)      format, types, lint, dead code, and all tests except those of \`npm run soak\`
  --static    only checks that do not run the code, like \`npm run check\`
  --changed   only checks and tests of files that changed since the last commit, new files included
  --help      print this help
`

const CHECKS = [
  { name: 'format', tool: 'oxfmt', args: ['--check'], takesFiles: true },
  // Not incremental: for its cache, tsc describes changed exports, and sometimes a type is too deep for that.
  { name: 'types', tool: 'tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'types of the pure core', tool: 'tsc', args: ['-p', 'core/tsconfig.pure.json'] },
  { name: 'types of the console', tool: 'tsc', args: ['-p', 'apps/console/tsconfig.json'] },
  { name: 'lint and import cycles', tool: 'oxlint', args: ['--deny-warnings'], takesFiles: true },
  { name: 'dead code', tool: 'knip', args: ['--no-progress'] },
]

const NOTHING = { passed: 0, failed: 0 }
const LOW_PRIORITY = 10

const children = new Set()
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    isInterrupted = true
    for (const child of children) child.kill(signal)
  })

/** Tests that use code without importing it: as a process, a bundle or a file. */
const INDIRECT_TESTS = [
  { change: /^apps\/console\//, tests: ['tests/console'] },
  {
    change: /^(apps\/(cli|api|worker|voice-provider)|adapters|core)\/.*(?<!\.test)\.m?[jt]s$/,
    tests: ['tests/up.test.ts'],
  },
  { change: /^(core\/engine|adapters\/(postgres|history))\/.*(?<!\.test)\.ts$/, tests: ['tests/kills'] },
  { change: /^adapters\/postgres\/migrations\//, tests: ['adapters/postgres', 'apps/api', 'tests'] },
  // Programs that tests start by path.
  { change: /^(tests\/[\w-]+)\//, tests: ['$1'] },
  {
    change:
      /^((?:core|adapters|apps)\/[\w-]+)\/(?:bin\/|.*(?:\/testing\/|\.worker\.|-process\.|\.fixture\.))/,
    tests: ['$1'],
  },
  {
    change: /^(docs|demo)\/|^[^/]+\.(md|json)$/,
    tests: ['tests/architecture.test.ts', 'tests/lock-file.test.ts', 'apps/cli/scripts'],
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
  const changed = option === '--changed' ? await listChangedFiles() : undefined
  // The checks use the cores while tests wait for browsers and speech.
  const [checked, tested] = await Promise.all([
    runChecks(changed, { isInBackground: option !== '--static' }),
    option === '--static' ? NOTHING : changed ? runChangedTests(changed) : runTests([]),
  ])
  for (const { failure } of checked) if (failure !== undefined) process.stdout.write(failure)
  const results = [...checked, tested]
  const passed = results.reduce((sum, result) => sum + result.passed, 0)
  const failed = results.reduce((sum, result) => sum + result.failed, 0)
  const isSuccessful = failed === 0 && !isInterrupted && (passed > 0 || changed?.length === 0)
  process.stdout.write(`${isInterrupted ? '\nInterrupted.' : ''}\n${passed} passed, ${failed} failed\n`)
  process.exitCode = isSuccessful ? 0 : 1
}

async function runChecks(changed, { isInBackground }) {
  const results = []
  if (changed?.length === 0) return results
  for (const spec of CHECKS) if (!isInterrupted) results.push(await check(spec, changed, isInBackground))
  return results
}

async function check({ name, tool, args, takesFiles = false }, changed, isInBackground) {
  const began = Date.now()
  const files = takesFiles ? (changed?.filter(isSource) ?? []) : []
  if (takesFiles && changed && files.length === 0) return NOTHING
  const { status, stdout, stderr } = await runTool(tool, [...args, ...files], { isInBackground })
  const isPassed = status === 0
  process.stdout.write(`  ${isPassed ? '✓' : '✗'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)\n`)
  // The failure is printed at the end, after the output of the tests.
  return isPassed
    ? { passed: 1, failed: 0 }
    : { passed: 0, failed: 1, failure: `\n✗ ${name}\n${stdout}${stderr}` }
}

function isSource(file) {
  return /\.(ts|tsx|mjs)$/.test(file) && existsSync(join(root, file))
}

/** Lists files that were changed, added or removed since the last commit. */
async function listChangedFiles() {
  const { status, stdout, stderr } = await run('git', [
    'status',
    '--porcelain',
    '-uall',
    '--no-renames',
    '-z',
  ])
  if (status !== 0) {
    process.stderr.write(
      `${stderr}--changed asks git what changed, and git failed. Run npm test without it.\n`,
    )
    process.exit(1)
  }
  return stdout
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => line.slice(3))
}

async function runChangedTests(changed) {
  if (changed.length === 0) {
    process.stdout.write('  nothing changed since the last commit\n')
    return NOTHING
  }
  const { status, stdout, stderr } = await runTool('vitest', ['list', '--changed', '--filesOnly', '--json'])
  if (status !== 0) {
    process.stdout.write(`  ✗ vitest could not list the tests\n${stdout}${stderr}\n`)
    return { passed: 0, failed: 1 }
  }
  const imported = JSON.parse(stdout || '[]').map(({ file }) => file)
  const indirect = INDIRECT_TESTS.flatMap((row) => changed.flatMap((file) => findTests(row, file)))
  const files = [...new Set([...imported, ...indirect])]
  if (files.length === 0) {
    process.stdout.write('  no test reaches these changes\n')
    return NOTHING
  }
  return runTests(files)
}

function findTests({ change, tests: named }, file) {
  const match = change.exec(file)
  return match ? named.map((path) => path.replace('$1', match[1] ?? '')) : []
}

/** Runs these test files, or all if the list is empty. */
async function runTests(files) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'))
  const report = join(folder, 'report.json')
  try {
    const args = ['run', ...files, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const { status } = await runTool('vitest', args, { isShown: true })
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
    // A file that does not load, or an error outside of tests, changes only the status.
    return { passed: numPassedTests, failed: numFailedTests || (status === 0 ? 0 : 1) }
  } catch (error) {
    process.stdout.write(`  ✗ vitest ended without a report: ${error.message}\n`)
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runTool(name, args, options) {
  return run(pinnedNode, [getToolPath(name), ...args], options)
}

function run(command, args, { isShown = false, isInBackground = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...environment, CI: '1' },
      stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    })
    children.add(child)
    if (isInBackground) lowerPriority(child)
    let [stdout, stderr] = ['', '']
    child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text))
    child.on('error', ({ message }) => resolve({ status: 1, stdout, stderr: `${command}: ${message}\n` }))
    child.on('close', (status) => {
      children.delete(child)
      resolve({ status, stdout, stderr })
    })
  })
}

/** If the system refuses this, the check competes with the tests. */
function lowerPriority({ pid }) {
  try {
    if (pid !== undefined) setPriority(pid, LOW_PRIORITY)
  } catch {}
}
