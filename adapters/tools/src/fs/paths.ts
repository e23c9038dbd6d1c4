import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

export type FollowedPath =
  /** `missing` holds the names below `path` that do not exist yet. */
  | { readonly kind: 'found'; readonly path: string; readonly missing: readonly string[] }
  | { readonly kind: 'lost'; readonly why: string }

/**
 * Follows a path as the system does: link by link, with `..` relative to a link's target. For a path that does not
 * exist, finds the nearest existing folder.
 */
export async function followPath(from: string, path: string): Promise<FollowedPath> {
  let rest = isAbsolute(path) ? path : `${from}/${path}`
  const missing: string[] = []
  for (;;) {
    const real = await realPathOf(rest)
    if (real.kind === 'lost') return real
    if (real.kind === 'found')
      return missing.length === 0 ? { ...real, missing } : belowFolder(real.path, missing)

    const end = rest.replace(/\/+$/, '')
    const name = end.slice(end.lastIndexOf('/') + 1)
    if (name === '..' || name === '.') return lost('goes through a folder that does not exist')
    if (end !== rest && missing.length === 0) return lost('ends in "/", and there is no such folder')
    // A dangling link: creating its target would write wherever the link points.
    if (await exists(end)) return lost('is or goes through a link that leads to nothing')
    missing.unshift(name)
    rest = end.slice(0, end.lastIndexOf('/') + 1)
  }
}

async function realPathOf(path: string): Promise<{ kind: 'found'; path: string } | { kind: 'none' } | Lost> {
  try {
    return { kind: 'found', path: await realpath(path) }
  } catch (failure) {
    const code = errorCodeOf(failure)
    return code === 'ENOENT' ? { kind: 'none' } : lost(WHY[code] ?? `cannot be followed (${code})`)
  }
}

type Lost = Extract<FollowedPath, { kind: 'lost' }>

const WHY: Readonly<Record<string, string>> = {
  ELOOP: 'goes through links that lead in a circle',
  ENOTDIR: 'goes through a file as if it were a folder',
  EACCES: 'goes through a folder that Parley has no right to open',
  ENAMETOOLONG: 'is too long',
}

async function belowFolder(path: string, missing: readonly string[]): Promise<FollowedPath> {
  const isFolder = (await stat(path)).isDirectory()
  return isFolder ? { kind: 'found', path, missing } : lost('goes through a file as if it were a folder')
}

const lost = (why: string): Lost => ({ kind: 'lost', why })

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

const MARKS = ['.git', '.parley']

/** The root of the project around a folder, as a real path; the folder itself if there is no project. */
export async function findProject(folder: string): Promise<string> {
  const home = await realpath(homedir()).catch(() => homedir())
  // A folder that contains a person's home is no project, even if their dotfiles are in git.
  for (let at = folder; at !== '/' && !isWithin(home, at); at = dirname(at)) {
    if (await hasMark(at)) return at
  }
  return folder
}

async function hasMark(folder: string): Promise<boolean> {
  for (const mark of MARKS) if (await exists(join(folder, mark))) return true
  return false
}

/** The system's error code, such as ENOENT. */
export const errorCodeOf = (failure: unknown): string =>
  typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure.code) : ''

/** Whether a path is this folder or inside it; both are real paths. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** A path for display: characters that could hide or reverse parts of it are escaped. */
export const printablePath = (path: string): string =>
  path
    .toWellFormed()
    .replace(/[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (hidden) =>
      hidden === '\\' ? '\\\\' : `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
    )
