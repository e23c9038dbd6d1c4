import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

export type FollowedPath =
  /** `missing` holds the names below `path` that do not exist yet. */
  | { readonly kind: 'found'; readonly path: string; readonly missing: readonly string[] }
  | { readonly kind: 'lost'; readonly reason: string }

/**
 * Follows a path as the system does: link by link, with `..` relative to a link's target. For a path that does not
 * exist, finds the nearest existing folder.
 */
export async function followPath(from: string, path: string): Promise<FollowedPath> {
  let rest = isAbsolute(path) ? path : `${from}/${path}`
  const missing: string[] = []
  for (;;) {
    const real = await findRealPath(rest)
    if (real.kind === 'lost') return real
    if (real.kind === 'found')
      return missing.length === 0 ? { ...real, missing } : checkMissingBelow(real.path, missing)

    const end = rest.replace(/\/+$/, '')
    const name = end.slice(end.lastIndexOf('/') + 1)
    if (name === '..' || name === '.') return toLostPath('goes through a folder that does not exist')
    if (end !== rest && missing.length === 0) return toLostPath('ends in "/", and there is no such folder')
    // A dangling link: creating its target would write wherever the link points.
    if (await doesExist(end)) return toLostPath('is or goes through a link that leads to nothing')
    missing.unshift(name)
    rest = end.slice(0, end.lastIndexOf('/') + 1)
  }
}

async function findRealPath(
  path: string,
): Promise<{ kind: 'found'; path: string } | { kind: 'none' } | LostPath> {
  try {
    return { kind: 'found', path: await realpath(path) }
  } catch (failure) {
    const code = getSystemErrorCode(failure)
    return code === 'ENOENT'
      ? { kind: 'none' }
      : toLostPath(REASONS_BY_CODE[code] ?? `cannot be followed (${code})`)
  }
}

type LostPath = Extract<FollowedPath, { kind: 'lost' }>

const REASONS_BY_CODE: Readonly<Record<string, string>> = {
  ELOOP: 'goes through links that lead in a circle',
  ENOTDIR: 'goes through a file as if it were a folder',
  EACCES: 'goes through a folder that Parley has no right to open',
  ENAMETOOLONG: 'is too long',
}

async function checkMissingBelow(path: string, missing: readonly string[]): Promise<FollowedPath> {
  const isFolder = (await stat(path)).isDirectory()
  return isFolder
    ? { kind: 'found', path, missing }
    : toLostPath('goes through a file as if it were a folder')
}

const toLostPath = (reason: string): LostPath => ({ kind: 'lost', reason })

const doesExist = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

const PROJECT_MARKS = ['.git', '.parley']

/** The root of the project around a folder, as a real path; the folder itself if there is no project. */
export async function findProject(folder: string): Promise<string> {
  const home = await realpath(homedir()).catch(() => homedir())
  // A folder that contains a person's home is no project, even if their dotfiles are in git.
  for (let at = folder; at !== '/' && !isWithinFolder(home, at); at = dirname(at)) {
    if (await hasProjectMark(at)) return at
  }
  return folder
}

async function hasProjectMark(folder: string): Promise<boolean> {
  for (const mark of PROJECT_MARKS) if (await doesExist(join(folder, mark))) return true
  return false
}

/** The system's error code, such as ENOENT. */
export const getSystemErrorCode = (failure: unknown): string =>
  typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure.code) : ''

/** Whether a path is this folder or inside it; both are real paths. */
export const isWithinFolder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** A path for display: characters that could hide or reverse parts of it are escaped. */
export const toPrintablePath = (path: string): string =>
  path
    .toWellFormed()
    .replace(/[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (hidden) =>
      hidden === '\\' ? '\\\\' : `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
    )
