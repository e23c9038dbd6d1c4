import { lstat, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { refuse, type Refusal } from '@parley/engine'
import { isWithin } from '../fs/is-within.ts'
import type { Scope } from '../fs/open-scope.ts'
import { printablePath } from '../fs/printable-path.ts'
import { foreignPart } from './foreign-part.ts'
import { quoted } from './quoted.ts'
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
