import type { Stats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Refusal, refuse } from '@parley/engine'
import { isWithin } from '../fs/is-within.ts'
import type { Scope } from '../fs/open-scope.ts'
import { printablePath } from '../fs/printable-path.ts'
import { quoted, quotedPart } from './quoted.ts'
import { smallText } from './small-text.ts'

/** All by their real paths. */
export interface Repository {
  readonly kind: 'repository'
  /** The folder that its files are in. */
  readonly root: string
  readonly gitDir: string
  /** Where objects, branches and config are; the same folder, unless `root` is a linked worktree. */
  readonly commonDir: string
}

/** The repository around the working folder, looked for no higher than the session may reach. */
export async function findRepository(scope: Scope, cap: string | undefined): Promise<Repository | Refusal> {
  for (let at = scope.workingDir; isWithin(at, scope.root); at = dirname(at)) {
    const found = await lstat(join(at, '.git')).catch(() => undefined)
    if (found?.isSymbolicLink())
      return refuse(`${printablePath(at)}/.git is a link; only a folder or a file of git is followed.`)
    if (found) return repositoryAt(at, found.isDirectory() ? join(at, '.git') : undefined, scope, cap)
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
  // Anybody can write a .git file that names another repository; that one naming this folder is the proof.
  const isOwned = isInside || (cap === undefined && (await isWorktreeOf(repository)))
  if (!isOwned)
    return refuse(
      `${shown} leads to ${quoted(gitDir)}, outside of ${printablePath(scope.root)}, which this session does not leave.`,
    )
  const foreign = await foreignPart(repository, scope.root)
  if (foreign !== undefined) return refuse(`The repository ${printablePath(root)} is not used: ${foreign}.`)
  return repository
}

/** The folder that a small file of git names. */
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
 * What of a repository is not its own, if anything: git follows links that file tools would refuse, and waits for
 * pipes. Where all may be reached, links may lead anywhere.
 */
async function foreignPart(
  { gitDir, commonDir }: { readonly gitDir: string; readonly commonDir: string },
  root: string,
): Promise<string | undefined> {
  const parts = [...OWN.map((name) => join(gitDir, name)), ...SHARED.map((name) => join(commonDir, name))]
  return (
    (await oddOne(parts, root, commonDir)) ??
    (await oddOne(await branchFiles(gitDir, commonDir), root, commonDir)) ??
    (await foreignObjects(join(commonDir, 'objects'), root))
  )
}

const OWN = ['HEAD', 'index', 'logs', 'logs/HEAD', 'commondir', 'gitdir']
const INFO = ['info', 'info/exclude', 'info/attributes']
const SHARED = ['config', 'refs', 'packed-refs', 'logs', 'logs/refs', 'shallow', ...INFO]

async function oddOne(
  paths: readonly string[],
  root: string,
  commonDir: string,
): Promise<string | undefined> {
  for (const path of paths) {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isSymbolicLink() && root !== '/') return `${quotedPart(commonDir, path)} is a link`
    const reached = found?.isSymbolicLink() ? await stat(path).catch(() => undefined) : found
    if (reached && !isPlain(reached)) return `${quotedPart(commonDir, path)} is neither a file nor a folder`
  }
  return undefined
}

const isPlain = (found: Stats): boolean => found.isFile() || found.isDirectory()

/** The files of the branch that is checked out, and the folders on the way to them. */
async function branchFiles(gitDir: string, commonDir: string): Promise<readonly string[]> {
  const [, ref = ''] = /^ref: (\S+)/.exec((await smallText(join(gitDir, 'HEAD'))) ?? '') ?? []
  const names = ref.split('/')
  const ways = names.map((_, at) => names.slice(0, at + 1).join('/'))
  return ways.flatMap((way) => [join(commonDir, way), join(commonDir, 'logs', way)])
}

/** How deep git itself follows stores that borrow from others. */
const DEEPEST = 5

async function foreignObjects(objects: string, root: string, depth = 0): Promise<string | undefined> {
  for (const folder of [objects, join(objects, 'pack'), join(objects, 'info')]) {
    const entries = await readdir(folder).catch(() => [])
    const odd = await oddOne([folder, ...entries.map((name) => join(folder, name))], root, dirname(objects))
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
