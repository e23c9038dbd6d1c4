import { lstat } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { type ToolCallRefusal, createToolCallRefusal } from '@parley/engine'
import { followPath, isWithinFolder, toPrintablePath } from '../fs/paths.ts'
import type { ResolvePath, OpenedGit } from './run-git.ts'

/** A path for git: relative to the repository's root, and '' for the root itself. */
export async function toGitPath(
  given: string,
  { repository: { root }, workingDir }: Pick<OpenedGit, 'repository' | 'workingDir'>,
  resolvePath: ResolvePath,
): Promise<string | ToolCallRefusal> {
  const real = await resolvePath(given, 'read')
  if (typeof real !== 'string') return real
  const path = (await resolveFolderOnly(given, workingDir)) ?? real
  return isWithinFolder(path, root)
    ? relative(root, path)
    : createToolCallRefusal(
        `${toPrintablePath(given)} lies outside of the repository ${toPrintablePath(root)}.`,
        'tool_failed',
        toPrintablePath(given),
      )
}

/** Resolves the folder but not the last name: git stores a link as a link. */
async function resolveFolderOnly(given: string, workingDir: string): Promise<string | undefined> {
  const path = (isAbsolute(given) ? given : `${workingDir}/${given}`).replace(/\/+$/, '')
  const at = path.lastIndexOf('/')
  const name = path.slice(at + 1)
  if (name === '' || name === '.' || name === '..') return undefined
  const folder = await followPath(workingDir, path.slice(0, at) || '/')
  return folder.kind === 'lost' ? undefined : join(folder.path, ...folder.missing, name)
}

export interface SortedPaths {
  readonly readable: readonly string[]
  readonly refused: readonly string[]
}

/** Splits git's paths into readable and refused ones, relative to the repository's root. */
export async function sortPaths(
  paths: readonly string[],
  root: string,
  resolvePath: ResolvePath,
): Promise<SortedPaths> {
  const readable: string[] = []
  const refused: string[] = []
  for (const path of paths) {
    // A name that is not UTF-8 cannot be passed back to git.
    const isText = !path.includes('\uFFFD')
    const isReadable =
      isText &&
      typeof (await resolvePath(join(root, path), 'read')) === 'string' &&
      (await isOwnFile(join(root, path)))
    ;(isReadable ? readable : refused).push(path)
  }
  return { readable, refused }
}

/** Why paths are refused. */
export const REFUSED_PATHS_REASON = 'Protected files, hard links, pipes and devices are not committed'

/** A hard link may be a file from outside the repository. */
async function isOwnFile(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats || stats.isSymbolicLink() || stats.isDirectory()) return true
  return stats.isFile() && stats.nlink === 1
}

export const splitByNul = (listed: string): readonly string[] => listed.split('\0').filter(Boolean)
