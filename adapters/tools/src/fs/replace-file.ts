import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCodeOf } from './error-code-of.ts'
import { isStillAt } from './is-still-at.ts'
import { makeFolder, type OpenFolder, openFolder } from './open-folder.ts'
import type { Place, Scope } from './open-scope.ts'

interface Replacement {
  readonly bytes: Uint8Array
  /** Of the file that is replaced; undefined where there was none, and there must be none still. */
  readonly mode: number | undefined
  /** Called last before the file is put in place; throws where it is no longer to be. */
  readonly isDue: () => Promise<void>
}

/** Puts a file in place as a whole, or not at all, in the very folder that was checked. */
export async function replaceFile(scope: Scope, place: Place, replacement: Replacement): Promise<void> {
  const forbidden = scope.forbids(place.path, 'write')
  if (forbidden !== undefined) throw new Error(`${place.shown} ${forbidden}.`)
  const folder = await folderFor(place)
  try {
    await putInto(folder, basename(place.path), replacement)
  } finally {
    await folder.close()
  }
}

async function folderFor({ path, folder, missing }: Place): Promise<OpenFolder> {
  let at = await openFolder(missing.length === 0 ? dirname(path) : folder)
  for (const name of missing.slice(0, -1)) {
    const above = at
    try {
      at = await makeFolder(above, name)
    } finally {
      await above.close()
    }
  }
  return at
}

async function putInto(folder: OpenFolder, name: string, { bytes, mode, isDue }: Replacement): Promise<void> {
  await folder.check()
  const temporaryName = `.${randomBytes(9).toString('hex')}.parley-tmp`
  const temporary = folder.at(temporaryName)
  const file = await open(temporary, NEW, mode === undefined ? 0o644 : 0o600)
  try {
    try {
      // Where folders cannot be held open, a file may be made elsewhere; it stays empty then.
      if (!(await isStillAt(file, join(folder.path, temporaryName)))) throw folder.replaced()
      await file.writeFile(bytes)
      if (mode !== undefined) await file.chmod(mode & 0o777)
      await file.sync()
    } finally {
      await file.close()
    }
    await isDue()
    await folder.check()
    await (mode === undefined ? putNew(temporary, folder.at(name)) : rename(temporary, folder.at(name)))
  } catch (failure) {
    await unlink(temporary).catch(() => undefined)
    throw failure
  }
  await folder.sync()
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** A link is refused where the name is taken by now; renaming would replace what took it. */
async function putNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path)
  } catch (failure) {
    if (!WITHOUT_LINKS.includes(errorCodeOf(failure))) throw failure
    return rename(temporary, path)
  }
  await unlink(temporary)
}

const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']
