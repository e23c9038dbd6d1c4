import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

export type Found =
  /** `missing` are the names below `path` that do not exist yet. */
  | { readonly kind: 'found'; readonly path: string; readonly missing: readonly string[] }
  | { readonly kind: 'lost'; readonly why: string }

/**
 * Where a path leads, as the system itself would go: link by link, `..` from where a link has led. Of what does not
 * exist, the nearest folder that does is found.
 */
export async function findPlace(from: string, path: string): Promise<Found> {
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
    // A link that leads nowhere: whoever made what it names would do so wherever the link says.
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

type Lost = Extract<Found, { kind: 'lost' }>

const WHY: Readonly<Record<string, string>> = {
  ELOOP: 'goes through links that lead in a circle',
  ENOTDIR: 'goes through a file as if it were a folder',
  EACCES: 'goes through a folder that Parley has no right to open',
  ENAMETOOLONG: 'is too long',
}

async function belowFolder(path: string, missing: readonly string[]): Promise<Found> {
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

/** The root of the project around a folder, by its real path: the folder itself where there is no project. */
export async function findProject(folder: string): Promise<string> {
  const home = await realpath(homedir()).catch(() => homedir())
  // A folder that holds the whole of a person's home is no project, even if their dotfiles are kept in git.
  for (let at = folder; at !== '/' && !isWithin(home, at); at = dirname(at)) {
    if (await hasMark(at)) return at
  }
  return folder
}

async function hasMark(folder: string): Promise<boolean> {
  for (const mark of MARKS) {
    const found = await lstat(join(folder, mark)).catch(() => undefined)
    if (found) return true
  }
  return false
}

/** The system's name for what went wrong, such as ENOENT. */
export const errorCodeOf = (failure: unknown): string =>
  typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure.code) : ''

/** Whether a real path is a folder or lies in it; both are absolute and resolved. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** A path as a person reads it: what could hide or turn around a part of it is spelt out. */
export const printablePath = (path: string): string =>
  path
    .toWellFormed()
    .replace(/[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (hidden) =>
      hidden === '\\' ? '\\\\' : `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
    )
