import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Makes an empty file for its owner alone; one that is there is left as it is. */
export function createPrivately(path: string): void {
  try {
    // To close a file that SQLite has open in this process would undo SQLite's locks on it: never open one that exists.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** All of the text is on the disk afterwards, or none, for its owner alone. */
export async function writePrivately(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.new`
  try {
    await writeNew(draft, text)
    await renameSafely(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** What a process that was killed while it wrote the file left; for one who is alone, since others may be writing it. */
export async function removeDrafts(path: string): Promise<void> {
  const names = await readdir(dirname(path))
  const drafts = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.new'))
  for (const name of drafts) await rm(join(dirname(path), name), { force: true })
}

/** The same for a file that must not be there yet. */
export async function writeNewPrivately(path: string, text: string): Promise<void> {
  await writeNew(path, text)
  await syncFolder(dirname(path))
}

/** The new name is on the disk afterwards. */
export async function renameSafely(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncFolder(dirname(to))
}

async function writeNew(path: string, text: string): Promise<void> {
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
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
