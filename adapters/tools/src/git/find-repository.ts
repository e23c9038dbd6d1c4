import { type Stats, constants } from 'node:fs'
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type Refusal, refuse } from '@parley/engine'
import type { Scope } from '../fs/open-scope.ts'
import { isWithin, printablePath } from '../fs/paths.ts'

/** All paths are real paths. */
export interface Repository {
  readonly kind: 'repository'
  /** The folder with its files. */
  readonly root: string
  readonly gitDir: string
  /** Holds objects, branches and config; equals `gitDir` unless `root` is a linked worktree. */
  readonly commonDir: string
}

/** Finds the repository around the working folder, within the session's scope. */
export async function findRepository(scope: Scope, cap: string | undefined): Promise<Repository | Refusal> {
  for (let at = scope.workingDir; isWithin(at, scope.root); at = dirname(at)) {
    const stats = await lstat(join(at, '.git')).catch(() => undefined)
    if (stats?.isSymbolicLink())
      return refuse(`${printablePath(at)}/.git is a link; only a git folder or file is followed.`)
    if (stats) return repositoryAt(at, stats.isDirectory() ? join(at, '.git') : undefined, scope, cap)
    if (at === '/') break
  }
  return refuse(
    `There is no git repository in ${printablePath(scope.workingDir)}${scope.tier === 'sandboxed' ? ', and this session does not look above it (fs_scope "sandboxed"): it has to be started in the root of the repository, or with fs_scope "project"' : ''}.`,
    'tool_unavailable',
  )
}

async function repositoryAt(
  root: string,
  ownFolder: string | undefined,
  scope: Scope,
  cap: string | undefined,
): Promise<Repository | Refusal> {
  const shown = `${printablePath(root)}/.git`
  const gitDir = ownFolder ?? (await pointedTo(join(root, '.git'), /^gitdir: ([^\n]+)\n*$/))
  if (gitDir === undefined) return refuse(`${shown} does not lead to a git folder.`, 'tool_unavailable')
  const isLinked = (await lstat(join(gitDir, 'commondir')).catch(() => undefined)) !== undefined
  const commonDir = isLinked ? await pointedTo(join(gitDir, 'commondir'), /^([^\n]+)\n*$/) : gitDir
  if (commonDir === undefined) return refuse(`${shown} does not lead to a git folder.`, 'tool_unavailable')

  const repository: Repository = { kind: 'repository', root, gitDir, commonDir }
  const isInside = isWithin(gitDir, scope.root) && isWithin(commonDir, scope.root)
  // Anyone can write a .git file that names another repository; only that repository can confirm it.
  const isOwned = isInside || (cap === undefined && (await isWorktreeOf(repository)))
  if (!isOwned)
    return refuse(
      `${shown} leads to ${quoted(gitDir)}, outside of ${printablePath(scope.root)}, which this session may not leave.`,
    )
  const foreign = await foreignPart(repository, scope.root)
  if (foreign !== undefined) return refuse(`The repository ${printablePath(root)} is not used: ${foreign}.`)
  return repository
}

/** The folder that a small git file points to. */
async function pointedTo(file: string, like: RegExp): Promise<string | undefined> {
  const [, path] = like.exec((await smallText(file)) ?? '') ?? []
  if (path === undefined || path.includes('\0')) return undefined
  const real = await realpath(resolve(dirname(file), path)).catch(() => undefined)
  return real !== undefined && (await lstat(real)).isDirectory() ? real : undefined
}

async function isWorktreeOf({ root, gitDir, commonDir }: Repository): Promise<boolean> {
  if (dirname(gitDir) !== join(commonDir, 'worktrees')) return false
  const named = (await smallText(join(gitDir, 'gitdir')))?.trimEnd() ?? ''
  const real = await realpath(resolve(gitDir, named)).catch(() => undefined)
  return real === join(root, '.git')
}

/**
 * The first part of a repository that leads outside it: git follows links that file tools refuse, and waits for pipes.
 * Links are fine if the scope is the whole file system.
 */
async function foreignPart(
  { gitDir, commonDir }: { readonly gitDir: string; readonly commonDir: string },
  root: string,
): Promise<string | undefined> {
  const parts = [...OWN.map((name) => join(gitDir, name)), ...SHARED.map((name) => join(commonDir, name))]
  return (
    (await firstIrregular(parts, root, commonDir)) ??
    (await firstIrregular(await branchFiles(gitDir, commonDir), root, commonDir)) ??
    (await foreignObjects(join(commonDir, 'objects'), root))
  )
}

const OWN = ['HEAD', 'index', 'logs', 'logs/HEAD', 'commondir', 'gitdir']
const INFO = ['info', 'info/exclude', 'info/attributes']
const SHARED = ['config', 'refs', 'packed-refs', 'logs', 'logs/refs', 'shallow', ...INFO]

async function firstIrregular(
  paths: readonly string[],
  root: string,
  commonDir: string,
): Promise<string | undefined> {
  for (const path of paths) {
    const stats = await lstat(path).catch(() => undefined)
    if (stats?.isSymbolicLink() && root !== '/') return `${quotedPart(commonDir, path)} is a link`
    const reached = stats?.isSymbolicLink() ? await stat(path).catch(() => undefined) : stats
    if (reached && !isPlain(reached)) return `${quotedPart(commonDir, path)} is neither a file nor a folder`
  }
  return undefined
}

const isPlain = (stats: Stats): boolean => stats.isFile() || stats.isDirectory()

/** The files of the checked out branch, and their parent folders. */
async function branchFiles(gitDir: string, commonDir: string): Promise<readonly string[]> {
  const [, ref = ''] = /^ref: (\S+)/.exec((await smallText(join(gitDir, 'HEAD'))) ?? '') ?? []
  const names = ref.split('/')
  const ways = names.map((_, at) => names.slice(0, at + 1).join('/'))
  return ways.flatMap((way) => [join(commonDir, way), join(commonDir, 'logs', way)])
}

/** Git's own limit for chained alternate object stores. */
const DEEPEST = 5

async function foreignObjects(objects: string, root: string, depth = 0): Promise<string | undefined> {
  for (const folder of [objects, join(objects, 'pack'), join(objects, 'info')]) {
    const entries = await readdir(folder).catch(() => [])
    const odd = await firstIrregular(
      [folder, ...entries.map((name) => join(folder, name))],
      root,
      dirname(objects),
    )
    if (odd !== undefined) return odd
  }
  if (root === '/') return undefined
  const alternates = (await smallText(join(objects, 'info', 'alternates'))) ?? ''
  for (const line of alternates.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const other = await realpath(resolve(objects, line)).catch(() => undefined)
    if (other === undefined) continue
    if (depth >= DEEPEST || !isWithin(other, root))
      return `it borrows objects from ${quoted(other)}, which this session does not reach`
    const foreign = await foreignObjects(other, root, depth + 1)
    if (foreign !== undefined) return foreign
  }
  return undefined
}

const LONGEST = 80
const MOST = 5

/** Quotes a repository's name inside our sentence: short, and clearly a name. */
export function quoted(name: string): string {
  const shown = printablePath(name.slice(0, 4 * LONGEST)).replaceAll('"', String.raw`\"`)
  return shown.length > LONGEST ? `"${shown.slice(0, LONGEST).toWellFormed()}…"` : `"${shown}"`
}

/** A path inside the git folder, for a person. */
export const quotedPart = (commonDir: string, path: string): string =>
  quoted(join('.git', relative(commonDir, path)))

export function quotedList(names: readonly string[]): string {
  const shown = names.slice(0, MOST).map(quoted).join(', ')
  return names.length > MOST ? `${shown} and ${names.length - MOST} more` : shown
}

const MOST_BYTES = 65_536

/** Reads a small git file; undefined if it is no regular file. Never waits for a pipe. */
export async function smallText(file: string): Promise<string | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!handle) return undefined
  try {
    const stats = await handle.stat()
    return stats.isFile() && stats.size <= MOST_BYTES ? await handle.readFile('utf8') : undefined
  } finally {
    await handle.close()
  }
}
