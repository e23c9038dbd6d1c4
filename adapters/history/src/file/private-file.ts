import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

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
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  await syncFolder(dirname(path))
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
