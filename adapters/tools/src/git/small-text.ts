import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

const MOST_BYTES = 65_536

/** What one of git's own small files says; undefined where it is no plain file. A pipe that is put there holds nobody up. */
export async function smallText(file: string): Promise<string | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!handle) return undefined
  try {
    const found = await handle.stat()
    return found.isFile() && found.size <= MOST_BYTES ? await handle.readFile('utf8') : undefined
  } finally {
    await handle.close()
  }
}
