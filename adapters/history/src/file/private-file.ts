import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Creates an empty file that only its owner can read; an existing file stays unchanged. */
export function createPrivateFile(path: string): void {
  try {
    // Closing a file that SQLite has open in this process would release SQLite's locks: never open an existing one.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Writes the whole text to the disk or nothing, readable only by its owner. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.new`
  try {
    await writeNewFile(draft, text)
    await renameSafely(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Removes the drafts of killed processes. Needs exclusive access, since others may be writing theirs. */
export async function removeDrafts(path: string): Promise<void> {
  const names = await readdir(dirname(path))
  const drafts = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.new'))
  for (const name of drafts) await rm(join(dirname(path), name), { force: true })
}

/** The same for a file that must not exist yet. */
export async function writeNewPrivateFile(path: string, text: string): Promise<void> {
  await writeNewFile(path, text)
  await syncFolder(dirname(path))
}

/** Renames a file, and waits until the new name is on the disk. */
export async function renameSafely(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncFolder(dirname(to))
}

async function writeNewFile(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows does not open folders.
  if (process.platform !== 'win32') await syncToDisk(path, 'r')
}

export async function syncToDisk(path: string, flags: 'r' | 'r+'): Promise<void> {
  const file = await open(path, flags)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
