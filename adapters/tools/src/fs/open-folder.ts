import { constants } from 'node:fs'
import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { platform } from 'node:os'
import { join } from 'node:path'
import { errorCodeOf } from './error-code-of.ts'
import { isStillAt } from './is-still-at.ts'

/** A folder that is held open, so that what is done in it is done in this one, wherever its path leads by then. */
export interface OpenFolder {
  readonly path: string
  /** A path to an entry, or to the folder itself, that goes through what is held open where the system can. */
  at(name?: string): string
  /** Throws where the folder is no longer the one at its path. */
  check(): Promise<void>
  /** What to say where it is another one by now. */
  replaced(): Error
  sync(): Promise<void>
  close(): Promise<void>
}

/** Throws where the real path is, by now, no folder or another one. */
export const openFolder = (path: string): Promise<OpenFolder> => openVia(path, path)

/** Opens a folder below another one, and makes it where it is missing. */
export async function makeFolder(above: OpenFolder, name: string): Promise<OpenFolder> {
  await above.check()
  await mkdir(above.at(name)).catch((failure: unknown) => {
    if (errorCodeOf(failure) !== 'EEXIST') throw failure
  })
  return openVia(above.at(name), join(above.path, name))
}

async function openVia(way: string, path: string): Promise<OpenFolder> {
  const handle = await open(way, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (failure: unknown) => {
      throw ['ELOOP', 'ENOTDIR', 'ENOENT'].includes(errorCodeOf(failure)) ? replaced(path) : failure
    },
  )
  const folder = folderOf(handle, path)
  await folder.check().catch(async (failure: unknown) => {
    await folder.close()
    throw failure
  })
  return folder
}

function folderOf(handle: FileHandle, path: string): OpenFolder {
  const held = platform() === 'linux' ? `/proc/self/fd/${handle.fd}` : path
  return {
    path,
    at: (name) => (name === undefined ? `${held}/` : `${held}/${name}`),
    async check() {
      if (!(await isStillAt(handle, path))) throw replaced(path)
    },
    replaced: () => replaced(path),
    sync: () => handle.sync(),
    close: () => handle.close(),
  }
}

const replaced = (path: string) =>
  new Error(`The folder ${path} was moved, removed or replaced meanwhile, so nothing was done. Try again.`)
