import type { Dirent } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { openFolder } from './open-folder.ts'
import type { Scope } from './open-scope.ts'

export interface Entry {
  readonly name: string
  readonly path: string
  readonly kind: 'folder' | 'file' | 'link' | 'other'
  readonly isProtected: boolean
}

/** What a folder holds, in order: folders first. Throws where the folder is not the one that was resolved. */
export async function readFolder(scope: Scope, path: string): Promise<readonly Entry[]> {
  const folder = await openFolder(path)
  try {
    const found = await readdir(folder.at(), { withFileTypes: true })
    await folder.check()
    return found.map((entry) => entryOf(scope, path, entry)).toSorted(inOrder)
  } finally {
    await folder.close()
  }
}

/** The size of files and the target of links, by name; what has gone meanwhile is left out. */
export async function readDetails(
  path: string,
  entries: readonly Entry[],
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

function entryOf(scope: Scope, folder: string, entry: Dirent): Entry {
  const path = join(folder, entry.name)
  return {
    name: entry.name,
    path,
    kind: kindOf(entry),
    isProtected: scope.forbids(path, 'read') !== undefined,
  }
}

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isDirectory()) return 'folder'
  if (entry.isFile()) return 'file'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

const inOrder = (one: Entry, other: Entry): number =>
  Number(other.kind === 'folder') - Number(one.kind === 'folder') || (one.name < other.name ? -1 : 1)
