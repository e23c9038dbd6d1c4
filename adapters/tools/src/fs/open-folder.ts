import { type Dirent, constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises'
import { platform } from 'node:os'
import { join } from 'node:path'
import type { FileScope } from './open-scope.ts'
import { getSystemErrorCode } from './paths.ts'

/** A folder kept open, so operations in it hit this folder even if its path changes. */
export interface OpenFolder {
  readonly path: string
  /** A path to an entry or to the folder itself, through the open handle if the system supports it. */
  at(name?: string): string
  /** Throws if its path now leads to another folder. */
  check(): Promise<void>
  /** The error for a replaced folder. */
  createReplacedError(): Error
  sync(): Promise<void>
  close(): Promise<void>
}

/** Throws if the real path is no longer this folder. */
export const openFolder = (path: string): Promise<OpenFolder> => openFolderThrough(path, path)

/** Opens a subfolder, and creates it if missing. */
export async function openSubfolder(above: OpenFolder, name: string): Promise<OpenFolder> {
  await above.check()
  await mkdir(above.at(name)).catch((failure: unknown) => {
    if (getSystemErrorCode(failure) !== 'EEXIST') throw failure
  })
  return openFolderThrough(above.at(name), join(above.path, name))
}

async function openFolderThrough(way: string, path: string): Promise<OpenFolder> {
  const handle = await open(way, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (failure: unknown) => {
      throw ['ELOOP', 'ENOTDIR', 'ENOENT'].includes(getSystemErrorCode(failure))
        ? createReplacedError(path)
        : failure
    },
  )
  const folder = createOpenFolder(handle, path)
  await folder.check().catch(async (failure: unknown) => {
    await folder.close()
    throw failure
  })
  return folder
}

function createOpenFolder(handle: FileHandle, path: string): OpenFolder {
  const held = platform() === 'linux' ? `/proc/self/fd/${handle.fd}` : path
  return {
    path,
    at: (name) => (name === undefined ? `${held}/` : `${held}/${name}`),
    async check() {
      if (!(await isStillAt(handle, path))) throw createReplacedError(path)
    },
    createReplacedError: () => createReplacedError(path),
    sync: () => handle.sync(),
    close: () => handle.close(),
  }
}

const createReplacedError = (path: string) =>
  new Error(`The folder ${path} was moved, removed or replaced, so nothing was done. Try again.`)

/** Whether an opened file is the one at this real path, and no link was put in its way. */
export async function isStillAt(opened: FileHandle, path: string): Promise<boolean> {
  const at = await readlink(`/proc/self/fd/${opened.fd}`).catch(() => undefined)
  if (at !== undefined) return at === path
  try {
    const [is, lies, real] = await Promise.all([
      opened.stat({ bigint: true }),
      lstat(path, { bigint: true }),
      realpath(path),
    ])
    return is.dev === lies.dev && is.ino === lies.ino && real === path
  } catch {
    return false
  }
}

export interface FolderEntry {
  readonly name: string
  readonly path: string
  readonly kind: 'folder' | 'file' | 'link' | 'other'
  readonly isProtected: boolean
}

/** The sorted entries of a folder, folders first. Throws if the folder was replaced. */
export async function readFolder(scope: FileScope, path: string): Promise<readonly FolderEntry[]> {
  const folder = await openFolder(path)
  try {
    const entries = await readdir(folder.at(), { withFileTypes: true })
    await folder.check()
    return entries.map((entry) => toFolderEntry(scope, path, entry)).toSorted(compareEntries)
  } finally {
    await folder.close()
  }
}

/** The size of files and the target of links, by name; missing entries are skipped. */
export async function readDetails(
  path: string,
  entries: readonly FolderEntry[],
): Promise<ReadonlyMap<string, string>> {
  const folder = await openFolder(path)
  const details = new Map<string, string>()
  try {
    for (const { name, kind, isProtected } of entries) {
      if (isProtected) continue
      const at = folder.at(name)
      const detail =
        kind === 'file' ? lstat(at).then(({ size }) => `${size} bytes`) : kind === 'link' ? readlink(at) : ''
      details.set(name, await Promise.resolve(detail).catch(() => ''))
    }
    await folder.check()
    return details
  } finally {
    await folder.close()
  }
}

function toFolderEntry(scope: FileScope, folder: string, entry: Dirent): FolderEntry {
  const path = join(folder, entry.name)
  return {
    name: entry.name,
    path,
    kind: getEntryKind(entry),
    isProtected: scope.findRefusal(path, 'read') !== undefined,
  }
}

function getEntryKind(entry: Dirent): FolderEntry['kind'] {
  if (entry.isDirectory()) return 'folder'
  if (entry.isFile()) return 'file'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

const compareEntries = (one: FolderEntry, other: FolderEntry): number =>
  Number(other.kind === 'folder') - Number(one.kind === 'folder') || (one.name < other.name ? -1 : 1)
