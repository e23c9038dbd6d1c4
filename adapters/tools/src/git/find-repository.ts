import { type Stats, constants } from 'node:fs'
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { type ToolCallRefusal, createToolCallRefusal } from '@parley/engine'
import { formatShortList } from '../format-text.ts'
import type { FileScope } from '../fs/open-scope.ts'
import { isWithinFolder, toPrintablePath } from '../fs/paths.ts'

/** All paths are real paths. */
export interface GitRepository {
  readonly kind: 'repository'
  /** The folder with its files. */
  readonly root: string
  readonly gitDir: string
  /** Holds objects, branches and config; equals `gitDir` unless `root` is a linked worktree. */
  readonly commonDir: string
}

/** Finds the repository around the working folder, within the session's scope. */
export async function findRepository(
  scope: FileScope,
  policyRoot: string | undefined,
): Promise<GitRepository | ToolCallRefusal> {
  for (let at = scope.workingDir; isWithinFolder(at, scope.root); at = dirname(at)) {
    const stats = await lstat(join(at, '.git')).catch(() => undefined)
    if (stats?.isSymbolicLink())
      return createToolCallRefusal(
        `${toPrintablePath(at)}/.git is a link; only a git folder or file is followed.`,
      )
    if (stats)
      return openRepository(at, stats.isDirectory() ? join(at, '.git') : undefined, scope, policyRoot)
    if (at === '/') break
  }
  return createToolCallRefusal(
    `There is no git repository in ${toPrintablePath(scope.workingDir)}${scope.tier === 'sandboxed' ? ', and this session does not look above it (fs_scope "sandboxed"): it has to be started in the root of the repository, or with fs_scope "project"' : ''}.`,
    'tool_unavailable',
  )
}

async function openRepository(
  root: string,
  ownFolder: string | undefined,
  scope: FileScope,
  policyRoot: string | undefined,
): Promise<GitRepository | ToolCallRefusal> {
  const shown = `${toPrintablePath(root)}/.git`
  const gitDir = ownFolder ?? (await findPointedFolder(join(root, '.git'), /^gitdir: ([^\n]+)\n*$/))
  if (gitDir === undefined)
    return createToolCallRefusal(`${shown} does not lead to a git folder.`, 'tool_unavailable')
  const isLinked = (await lstat(join(gitDir, 'commondir')).catch(() => undefined)) !== undefined
  const commonDir = isLinked ? await findPointedFolder(join(gitDir, 'commondir'), /^([^\n]+)\n*$/) : gitDir
  if (commonDir === undefined)
    return createToolCallRefusal(`${shown} does not lead to a git folder.`, 'tool_unavailable')

  const repository: GitRepository = { kind: 'repository', root, gitDir, commonDir }
  const isInside = isWithinFolder(gitDir, scope.root) && isWithinFolder(commonDir, scope.root)
  // Anyone can write a .git file that names another repository; only that repository can confirm it.
  const isOwned = isInside || (policyRoot === undefined && (await isWorktreeOf(repository)))
  if (!isOwned)
    return createToolCallRefusal(
      `${shown} leads to ${quoteName(gitDir)}, outside of ${toPrintablePath(scope.root)}, which this session may not leave.`,
    )
  const foreign = await findForeignPart(repository, scope.root)
  if (foreign !== undefined)
    return createToolCallRefusal(`The repository ${toPrintablePath(root)} is not used: ${foreign}.`)
  return repository
}

/** The folder that a small git file points to. */
async function findPointedFolder(file: string, like: RegExp): Promise<string | undefined> {
  const [, path] = like.exec((await readSmallText(file)) ?? '') ?? []
  if (path === undefined || path.includes('\0')) return undefined
  const real = await realpath(resolve(dirname(file), path)).catch(() => undefined)
  return real !== undefined && (await lstat(real)).isDirectory() ? real : undefined
}

async function isWorktreeOf({ root, gitDir, commonDir }: GitRepository): Promise<boolean> {
  if (dirname(gitDir) !== join(commonDir, 'worktrees')) return false
  const named = (await readSmallText(join(gitDir, 'gitdir')))?.trimEnd() ?? ''
  const real = await realpath(resolve(gitDir, named)).catch(() => undefined)
  return real === join(root, '.git')
}

/**
 * The first part of a repository that leads outside it: git follows links that file tools refuse, and waits for pipes.
 * Links are fine if the scope is the whole file system.
 */
async function findForeignPart(
  { gitDir, commonDir }: { readonly gitDir: string; readonly commonDir: string },
  root: string,
): Promise<string | undefined> {
  const parts = [
    ...OWN_PARTS.map((name) => join(gitDir, name)),
    ...SHARED_PARTS.map((name) => join(commonDir, name)),
  ]
  return (
    (await findFirstIrregular(parts, root, commonDir)) ??
    (await findFirstIrregular(await listBranchFiles(gitDir, commonDir), root, commonDir)) ??
    (await findForeignObject(join(commonDir, 'objects'), root))
  )
}

const OWN_PARTS = ['HEAD', 'index', 'logs', 'logs/HEAD', 'commondir', 'gitdir']
const INFO = ['info', 'info/exclude', 'info/attributes']
const SHARED_PARTS = ['config', 'refs', 'packed-refs', 'logs', 'logs/refs', 'shallow', ...INFO]

async function findFirstIrregular(
  paths: readonly string[],
  root: string,
  commonDir: string,
): Promise<string | undefined> {
  for (const path of paths) {
    const stats = await lstat(path).catch(() => undefined)
    if (stats?.isSymbolicLink() && root !== '/') return `${quotePart(commonDir, path)} is a link`
    const reached = stats?.isSymbolicLink() ? await stat(path).catch(() => undefined) : stats
    if (reached && !isFileOrFolder(reached))
      return `${quotePart(commonDir, path)} is neither a file nor a folder`
  }
  return undefined
}

const isFileOrFolder = (stats: Stats): boolean => stats.isFile() || stats.isDirectory()

/** The files of the checked out branch, and their parent folders. */
async function listBranchFiles(gitDir: string, commonDir: string): Promise<readonly string[]> {
  const [, ref = ''] = /^ref: (\S+)/.exec((await readSmallText(join(gitDir, 'HEAD'))) ?? '') ?? []
  const names = ref.split('/')
  const ways = names.map((_, at) => names.slice(0, at + 1).join('/'))
  return ways.flatMap((way) => [join(commonDir, way), join(commonDir, 'logs', way)])
}

/** Git's own limit for chained alternate object stores. */
const DEEPEST = 5

async function findForeignObject(objects: string, root: string, depth = 0): Promise<string | undefined> {
  for (const folder of [objects, join(objects, 'pack'), join(objects, 'info')]) {
    const entries = await readdir(folder).catch(() => [])
    const odd = await findFirstIrregular(
      [folder, ...entries.map((name) => join(folder, name))],
      root,
      dirname(objects),
    )
    if (odd !== undefined) return odd
  }
  if (root === '/') return undefined
  const alternates = (await readSmallText(join(objects, 'info', 'alternates'))) ?? ''
  for (const line of alternates.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const other = await realpath(resolve(objects, line)).catch(() => undefined)
    if (other === undefined) continue
    if (depth >= DEEPEST || !isWithinFolder(other, root))
      return `it borrows objects from ${quoteName(other)}, which this session does not reach`
    const foreign = await findForeignObject(other, root, depth + 1)
    if (foreign !== undefined) return foreign
  }
  return undefined
}

const MAX_NAME_LENGTH = 80
const MAX_NAMES = 5

/** Quotes a repository's name inside our sentence: short, and clearly a name. */
export function quoteName(name: string): string {
  const shown = toPrintablePath(name.slice(0, 4 * MAX_NAME_LENGTH)).replaceAll('"', String.raw`\"`)
  return shown.length > MAX_NAME_LENGTH
    ? `"${shown.slice(0, MAX_NAME_LENGTH).toWellFormed()}…"`
    : `"${shown}"`
}

/** A path inside the git folder, for a person. */
export const quotePart = (commonDir: string, path: string): string =>
  quoteName(join('.git', relative(commonDir, path)))

export const quoteNames = (names: readonly string[]): string =>
  formatShortList(names.map(quoteName), MAX_NAMES)

const MAX_BYTES = 65_536

/** Reads a small git file; undefined if it is no regular file. Never waits for a pipe. */
export async function readSmallText(file: string): Promise<string | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!handle) return undefined
  try {
    const stats = await handle.stat()
    return stats.isFile() && stats.size <= MAX_BYTES ? await handle.readFile('utf8') : undefined
  } finally {
    await handle.close()
  }
}
