// `npm run mutate`: changes the rules that guard people, one small change at a time, and counts the changes that no test notices.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { findMutants, withCountedTurns } from './find-mutants.mjs'
import { root } from '../setup.mjs'

const HELP = `npm run mutate [-- <path> …]

Changes the rules that guard people, one small change (a mutant) at a time, and runs their tests.
A mutant that no test notices has survived. Exits with 1 where fewer than 90 % of an area were noticed.

  <path>   only the mutants of these files or folders
  --list   list the mutants, and run nothing
  --help   this text
`

const LEAST_SCORE = 0.9
/** A test process that reports nothing for so long is ended, and its mutant counts as noticed. */
const SILENT_MS = 20_000
/** Whatever the tests load of ours. */
const SOURCES = /^(core|adapters|apps)\/[^/]+\/src\/.*(?<!\.test)\.ts$/

/** What is mutated, and the tests that have to notice. None of them needs a database. */
const AREAS = {
  tools: {
    sources: ['core/engine/src/tools/*.ts'],
    tests: ['core/engine/src/{tools,turn}/*.test.ts', 'core/engine/src/session/secrets.test.ts'],
  },
  budget: {
    sources: ['core/engine/src/budget/*.ts'],
    tests: [
      'core/engine/src/{budget,context,turn}/*.test.ts',
      'core/engine/src/session/{budget,turn-usage}.test.ts',
    ],
  },
  session: {
    sources: ['core/engine/src/session/*.ts'],
    tests: [
      'core/engine/src/session/{in-order,known-sessions,reconstruct-session-state,restore-turn,rolled-back-note,open-turns,turn-host,turn-recorder}.test.ts',
      'core/engine/src/session/session{s,-lifecycle}.test.ts',
      'core/engine/src/session/{interrupted,waiting}-turns.test.ts',
      'core/engine/src/session/*.test.ts',
    ],
  },
  access: {
    sources: [
      'apps/api/src/auth/{access,credential-of,authenticate,enter-reflection}.ts',
      'core/reflections/src/access/{may-enter,session-role,check-changes,enter-reflection}.ts',
      'core/reflections/src/modes/*.ts',
      'core/reflections/src/planning/*.ts',
    ],
    tests: [
      'apps/api/src/auth/{access,authenticate,credential-of,enter-reflection}.test.ts',
      'core/reflections/src/{access,modes,planning}/*.test.ts',
      'tests/access/tables.test.ts',
    ],
  },
  visibility: {
    sources: [
      'core/knowledge/src/facts/speakers.ts',
      'core/reflections/src/access/visible-namespaces.ts',
      'core/reflections/src/sharing/{describe-link,share-link-state,visitor-caps,visitor-events}.ts',
      'core/reflections/src/dossier/public-statement.ts',
    ],
    tests: [
      'core/knowledge/src/facts/{speakers,extract-facts}.test.ts',
      'core/reflections/src/{access,sharing}/*.test.ts',
      'core/reflections/src/dossier/public-statement.test.ts',
    ],
  },
  signatures: {
    sources: ['adapters/elevenlabs/src/webhook/*.ts', 'core/reflections/src/binding/*.ts'],
    tests: ['adapters/elevenlabs/src/webhook/*.test.ts', 'core/reflections/src/binding/*.test.ts'],
  },
  approval: {
    sources: ['core/reflections/src/approval/*.ts'],
    tests: ['core/reflections/src/approval/*.test.ts'],
  },
  freshness: {
    sources: ['core/reflections/src/freshness/*.ts'],
    tests: ['core/reflections/src/freshness/*.test.ts'],
  },
}

process.env.CI = '1'
const args = process.argv.slice(2)
const unknown = args.find((arg) => arg.startsWith('-') && !['--list', '--help'].includes(arg))
if (args.includes('--help')) {
  process.stdout.write(HELP)
} else if (unknown !== undefined) {
  process.stderr.write(`npm run mutate has no option ${unknown}.\n\n${HELP}`)
  process.exitCode = 2
} else {
  await mutate(args.filter((arg) => !arg.startsWith('-')).map((path) => resolve(path)))
}

async function mutate(wanted) {
  const known = Object.values(AREAS).flatMap(({ sources }) => sourcesIn(sources))
  const useless = wanted.find((path) => !known.some((file) => isIn(path, file)))
  if (useless !== undefined) {
    process.stderr.write(`No rule that guards people is in ${useless}. Run with --list to see them all.\n`)
    process.exitCode = 2
    return
  }
  const began = Date.now()
  const rows = []
  for (const [name, { sources, tests }] of Object.entries(AREAS)) {
    const files = sourcesIn(sources).filter(
      (file) => wanted.length === 0 || wanted.some((path) => isIn(path, file)),
    )
    const { mutants, codes } = mutantsIn(files.toSorted())
    if (mutants.length === 0) continue
    if (args.includes('--list')) {
      for (const mutant of mutants) process.stdout.write(`${lineOf(mutant)}\n`)
      continue
    }
    const near = tests.flatMap((glob) => globSync(glob, { cwd: root }).toSorted())
    const killed = await run(codes, [...new Set(near)])
    rows.push({ name, ...show(name, mutants, killed) })
  }
  if (args.includes('--list')) return
  const all = rows.reduce((sum, row) => sum + row.all, 0)
  const killed = rows.reduce((sum, row) => sum + row.killed, 0)
  process.stdout.write('\n')
  for (const row of [...rows, { name: 'total', all, killed }])
    process.stdout.write(`  ${row.name.padEnd(12)} ${scoreOf(row)}\n`)
  process.stdout.write(`\n${((Date.now() - began) / 60_000).toFixed(1)} minutes\n`)
  const low = rows.filter((row) => row.killed / row.all < LEAST_SCORE)
  for (const { name } of low) process.stdout.write(`  ${name} is below ${100 * LEAST_SCORE} %\n`)
  process.exitCode = low.length > 0 ? 1 : 0
}

function isIn(path, file) {
  return `${join(root, file)}/`.startsWith(`${path}/`)
}

function sourcesIn(globs) {
  return globSync(globs, { cwd: root }).filter((file) => !/\.(test|fixture)\.ts$/.test(file))
}

function mutantsIn(files) {
  const mutants = []
  const codes = new Map()
  for (const file of files) {
    const found = findMutants(file, readFileSync(join(root, file), 'utf8'), mutants.length)
    mutants.push(...found.mutants)
    codes.set(join(root, file), found.code)
  }
  return { mutants, codes }
}

/** Resolves to the ids of the mutants that a test noticed. */
async function run(codes, tests) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-mutate-'))
  const reportFile = join(folder, 'report.jsonl')
  const killed = new Set()
  try {
    for (let left = tests; left.length > 0;) {
      await runOnce(codes, left, killed, reportFile)
      const lines = linesOf(reportFile)
      const broken = lines.find(({ type }) => type === 'broken')
      if (broken) throw new Error(`${broken.file} fails without a mutant.\n${broken.errors.join('\n')}`)
      for (const { type, id } of lines) if (type === 'killed') killed.add(id)
      const last = lines.at(-1)
      const isEnded = last?.type === 'started'
      if (isEnded) killed.add(last.id)
      const finished = lines.filter(({ type }) => type === 'finished').map(({ file }) => relative(root, file))
      const rest = left.filter((file) => !finished.includes(file))
      if (rest.length === left.length && !isEnded) throw new Error(`These did not run: ${rest.join(', ')}`)
      left = rest
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return killed
}

/** Until all of these tests are through, or their process had to be ended. */
async function runOnce(codes, tests, killed, reportFile) {
  const { createVitest } = await import('vitest/node')
  const transform = (source, id) => codeOf(source, id.split('?')[0], codes)
  const vitest = await createVitest(
    'test',
    {
      root,
      config: false,
      watch: false,
      reporters: [{}],
      pool: 'forks',
      maxWorkers: 1,
      isolate: false,
      // It would give out what was made of the same files without mutants.
      fsModuleCache: false,
      include: tests,
      sequence: { sequencer: inOrderOf(tests) },
      runner: join(root, 'scripts/mutate/mutation-runner.mjs'),
      testTimeout: 60_000,
      expect: { poll: { timeout: 2_000 } },
      provide: { mutation: { settled: [...killed], tried: triedIn(reportFile), reportFile } },
    },
    { plugins: [{ name: 'mutants', enforce: 'pre', transform }] },
  )
  const watch = setInterval(() => endSilent(reportFile), 2_000)
  try {
    await vitest.start()
  } finally {
    clearInterval(watch)
    await vitest.close()
  }
}

/** Where a process was ended, the next one goes on after what it had tried. */
function triedIn(reportFile) {
  return linesOf(reportFile).flatMap(({ type, file, id }) => (type === 'survived' ? [`${id} ${file}`] : []))
}

/** Loops and calls of other files are counted too: a mutant may keep them from ending. */
function codeOf(source, path, codes) {
  const known = codes.get(path)
  if (known !== undefined) return known
  return SOURCES.test(relative(root, path)) ? withCountedTurns(path, source) : undefined
}

/** The nearest tests come first: most mutants are noticed there. */
function inOrderOf(tests) {
  const placeOf = ({ moduleId }) => tests.indexOf(relative(root, moduleId))
  return class {
    sort(files) {
      return files.toSorted((a, b) => placeOf(a) - placeOf(b))
    }
    shard(files) {
      return files
    }
  }
}

function linesOf(reportFile) {
  if (!existsSync(reportFile)) return []
  return readFileSync(reportFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** What never ends and never waits leaves nothing in its process that could end it. */
function endSilent(reportFile) {
  const last = linesOf(reportFile).at(-1)
  if (last?.type !== 'started' || Date.now() - last.at < SILENT_MS) return
  try {
    process.kill(last.pid, 'SIGKILL')
  } catch (failure) {
    if (failure.code !== 'ESRCH') throw failure
  }
}

function show(name, mutants, killed) {
  process.stdout.write(`\n${name}\n`)
  for (const [file, ids] of Map.groupBy(mutants.keys(), (id) => mutants[id].file)) {
    const survivors = ids.filter((id) => !killed.has(id))
    process.stdout.write(`  ${file} ${scoreOf({ all: ids.length, killed: ids.length - survivors.length })}\n`)
    for (const id of survivors) process.stdout.write(`    ${lineOf(mutants[id])}\n`)
  }
  return { all: mutants.length, killed: killed.size }
}

function lineOf({ file, line, column, original, mutant }) {
  return `${file}:${line}:${column} ${original} → ${mutant}`
}

function scoreOf({ all, killed }) {
  return `${killed} of ${all}, ${((100 * killed) / all).toFixed(1)} %`
}
