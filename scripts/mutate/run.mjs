// Started by scripts/mutate.mjs: changes the security rules, one small change at a time, and counts the changes that no test notices.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { findMutants, withCountedTurns } from './find-mutants.mjs'
import { root } from '../setup.mjs'

const MIN_SCORE = 0.9
/** A test process that reports nothing for this long is killed, and its mutant counts as noticed. */
const SILENT_MS = 20_000
/** Our files that tests can load. */
const SOURCES = /^(core|adapters|apps)\/[^/]+\/src\/.*(?<!\.test)\.ts$/

/** Sources of mutants, and the tests that must notice them. None needs a database. */
const AREAS = {
  tools: {
    sources: ['core/engine/src/tools/*.ts'],
    tests: [
      'core/engine/src/tools/*.test.ts',
      'core/engine/src/turn/*.test.ts',
      'core/engine/src/session/secrets.test.ts',
    ],
  },
  budget: {
    sources: ['core/engine/src/budget/*.ts'],
    tests: [
      'core/engine/src/budget/*.test.ts',
      'core/engine/src/window/*.test.ts',
      'core/engine/src/turn/*.test.ts',
      'core/engine/src/session/{budget,turn-usage}.test.ts',
    ],
  },
  session: {
    sources: ['core/engine/src/session/*.ts'],
    tests: [
      'core/engine/src/session/{sequence-numbers,session-cache,reconstruct-session-state,restore-turn,rolled-back-note,start-session,sessions-host,turn-recorder}.test.ts',
      'core/engine/src/session/session{s,-lifecycle}.test.ts',
      'core/engine/src/session/{interrupted,waiting}-turns.test.ts',
      'core/engine/src/session/*.test.ts',
    ],
  },
  access: {
    sources: [
      'apps/api/src/auth/admit-caller.ts',
      'apps/api/src/auth/authenticate.ts',
      'apps/api/src/auth/read-credential.ts',
      'core/reflections/src/access/check-changes.ts',
      'core/reflections/src/access/enter-reflection.ts',
      'core/reflections/src/access/may-enter.ts',
      'core/reflections/src/access/session-access.ts',
      'core/reflections/src/access/session-role.ts',
      'core/reflections/src/tools/decide-tool-call.ts',
      'core/reflections/src/sync/listed-voice.ts',
    ],
    tests: [
      'apps/api/src/auth/admit-caller.test.ts',
      'apps/api/src/auth/authenticate.test.ts',
      'apps/api/src/auth/read-credential.test.ts',
      'core/reflections/src/access/*.test.ts',
      'core/reflections/src/tools/decide-tool-call.test.ts',
      'core/reflections/src/sync/listed-voice.test.ts',
      'tests/access/tables.test.ts',
    ],
  },
  visibility: {
    sources: [
      'core/contracts/src/share-link.ts',
      'core/knowledge/src/facts/speakers.ts',
      'core/reflections/src/access/visible-namespaces.ts',
      'core/reflections/src/sharing/visitor-caps.ts',
      'core/reflections/src/sharing/visitor-view.ts',
      'core/reflections/src/dossier/public-statement.ts',
    ],
    tests: [
      'core/contracts/src/share-link.test.ts',
      'core/knowledge/src/facts/speakers.test.ts',
      'core/knowledge/src/facts/extract-facts.test.ts',
      'core/reflections/src/access/*.test.ts',
      'core/reflections/src/sharing/*.test.ts',
      'core/reflections/src/dossier/public-statement.test.ts',
    ],
  },
  signatures: {
    sources: [
      'adapters/elevenlabs/src/verify-webhook.ts',
      'core/reflections/src/tools/conversation-bind-sig.ts',
    ],
    tests: [
      'adapters/elevenlabs/src/verify-webhook.test.ts',
      'core/reflections/src/tools/conversation-bind-sig.test.ts',
    ],
  },
  approval: {
    sources: ['core/reflections/src/artifacts/evaluate-artifacts.ts'],
    tests: ['core/reflections/src/artifacts/evaluate-artifacts.test.ts'],
  },
  freshness: {
    sources: ['core/reflections/src/sync/decide-freshness.ts'],
    tests: ['core/reflections/src/sync/decide-freshness.test.ts'],
  },
}

process.env.CI = '1'
const isList = process.argv.includes('--list')
await mutate(process.argv.slice(2).flatMap((path) => (path === '--list' ? [] : [resolve(path)])))

async function mutate(wanted) {
  const known = Object.values(AREAS).flatMap(({ sources }) => listSources(sources))
  const unmatched = wanted.find((path) => !known.some((file) => isIn(path, file)))
  if (unmatched !== undefined) {
    process.stderr.write(`No mutants in ${unmatched}. Use --list to see all mutants.\n`)
    process.exitCode = 2
    return
  }
  const began = Date.now()
  const rows = []
  for (const [name, { sources, tests }] of Object.entries(AREAS)) {
    const files = listSources(sources).filter(
      (file) => wanted.length === 0 || wanted.some((path) => isIn(path, file)),
    )
    const { mutants, codes } = collectMutants(files.toSorted())
    if (mutants.length === 0) continue
    if (isList) {
      for (const mutant of mutants) process.stdout.write(`${formatMutant(mutant)}\n`)
      continue
    }
    const killed = await runMutants(codes, [...new Set(listFiles(tests))])
    rows.push({ name, ...printArea(name, mutants, killed) })
  }
  if (isList) return
  const all = rows.reduce((sum, row) => sum + row.all, 0)
  const killed = rows.reduce((sum, row) => sum + row.killed, 0)
  process.stdout.write('\n')
  for (const row of [...rows, { name: 'total', all, killed }])
    process.stdout.write(`  ${row.name.padEnd(12)} ${formatScore(row)}\n`)
  process.stdout.write(`\n${((Date.now() - began) / 60_000).toFixed(1)} minutes\n`)
  const low = rows.filter((row) => row.killed / row.all < MIN_SCORE)
  for (const { name } of low) process.stdout.write(`  ${name} is below ${100 * MIN_SCORE} %\n`)
  process.exitCode = low.length > 0 ? 1 : 0
}

function isIn(path, file) {
  return `${join(root, file)}/`.startsWith(`${path}/`)
}

function listSources(patterns) {
  return listFiles(patterns).filter((file) => !/\.(test|fixture)\.ts$/.test(file))
}

/** A pattern without a file would leave out a rule that was moved, so it is an error. */
function listFiles(patterns) {
  return patterns.flatMap((pattern) => {
    const files = globSync(pattern, { cwd: root }).toSorted()
    if (files.length === 0) throw new Error(`AREAS in scripts/mutate/run.mjs: no file is called ${pattern}.`)
    return files
  })
}

function collectMutants(files) {
  const mutants = []
  const codes = new Map()
  for (const file of files) {
    const found = findMutants(file, readFileSync(join(root, file), 'utf8'), mutants.length)
    mutants.push(...found.mutants)
    codes.set(join(root, file), found.code)
  }
  return { mutants, codes }
}

/** Returns the ids of the mutants that a test noticed. */
async function runMutants(codes, tests) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-mutate-'))
  const reportFile = join(folder, 'report.jsonl')
  const killed = new Set()
  try {
    for (let left = tests; left.length > 0;) {
      await runOnce(codes, left, killed, reportFile)
      const lines = readReport(reportFile)
      const broken = lines.find(({ type }) => type === 'broken')
      if (broken) throw new Error(`${broken.file} fails without a mutant.\n${broken.errors.join('\n')}`)
      for (const { type, id } of lines) if (type === 'killed') killed.add(id)
      const last = lines.at(-1)
      const isEnded = last?.type === 'started'
      if (isEnded) killed.add(last.id)
      const finished = lines.filter(({ type }) => type === 'finished').map(({ file }) => relative(root, file))
      const rest = left.filter((file) => !finished.includes(file))
      if (rest.length === left.length && !isEnded)
        throw new Error(`These tests did not run: ${rest.join(', ')}`)
      left = rest
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return killed
}

/** Ends when all tests are done, or when their process was killed. */
async function runOnce(codes, tests, killed, reportFile) {
  const { createVitest } = await import('vitest/node')
  const transform = (source, id) => transformSource(source, id.split('?')[0], codes)
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
      // The cache has the files without mutants.
      fsModuleCache: false,
      include: tests,
      sequence: { sequencer: createSequencer(tests) },
      runner: join(root, 'scripts/mutate/mutation-runner.mjs'),
      testTimeout: 60_000,
      expect: { poll: { timeout: 2_000 } },
      provide: { mutation: { settled: [...killed], tried: listTried(reportFile), reportFile } },
    },
    { plugins: [{ name: 'mutants', enforce: 'pre', transform }] },
  )
  const watch = setInterval(() => killSilentProcess(reportFile), 2_000)
  try {
    await vitest.start()
  } finally {
    clearInterval(watch)
    await vitest.close()
  }
}

/** Mutants that an earlier process tried; the next process skips them. */
function listTried(reportFile) {
  return readReport(reportFile).flatMap(({ type, file, id }) =>
    type === 'survived' ? [`${id} ${file}`] : [],
  )
}

/** Loops and calls of other files are counted too, because a mutant can make them endless. */
function transformSource(source, path, codes) {
  const known = codes.get(path)
  if (known !== undefined) return known
  return SOURCES.test(relative(root, path)) ? withCountedTurns(path, source) : undefined
}

/** Keeps the order of the list: the nearest tests notice most mutants. */
function createSequencer(tests) {
  const getPlace = ({ moduleId }) => tests.indexOf(relative(root, moduleId))
  return class {
    sort(files) {
      return files.toSorted((a, b) => getPlace(a) - getPlace(b))
    }
    shard(files) {
      return files
    }
  }
}

function readReport(reportFile) {
  if (!existsSync(reportFile)) return []
  return readFileSync(reportFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Kills a process in an endless loop, because it cannot end itself. */
function killSilentProcess(reportFile) {
  const last = readReport(reportFile).at(-1)
  if (last?.type !== 'started' || Date.now() - last.at < SILENT_MS) return
  try {
    process.kill(last.pid, 'SIGKILL')
  } catch (failure) {
    if (failure.code !== 'ESRCH') throw failure
  }
}

function printArea(name, mutants, killed) {
  process.stdout.write(`\n${name}\n`)
  for (const [file, ids] of Map.groupBy(mutants.keys(), (id) => mutants[id].file)) {
    const survivors = ids.filter((id) => !killed.has(id))
    process.stdout.write(
      `  ${file} ${formatScore({ all: ids.length, killed: ids.length - survivors.length })}\n`,
    )
    for (const id of survivors) process.stdout.write(`    ${formatMutant(mutants[id])}\n`)
  }
  return { all: mutants.length, killed: killed.size }
}

function formatMutant({ file, line, column, original, mutant }) {
  return `${file}:${line}:${column} ${original} → ${mutant}`
}

function formatScore({ all, killed }) {
  return `${killed} of ${all}, ${((100 * killed) / all).toFixed(1)} %`
}
