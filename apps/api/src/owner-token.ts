import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The owner's token: the one that is set, else the one made at the first start and kept in a file only they can read. */
export async function ownerToken(home: string, set: string | undefined): Promise<string> {
  if (set !== undefined) return set
  const path = join(home, 'owner-token')
  try {
    const kept = (await readFile(path, 'utf8')).trim()
    if (kept !== '') return kept
  } catch (failure) {
    if (!(failure instanceof Error && 'code' in failure && failure.code === 'ENOENT')) throw failure
  }
  const made = `parley_${randomBytes(32).toString('base64url')}`
  await mkdir(home, { recursive: true, mode: 0o700 })
  await writeFile(path, `${made}\n`, { mode: 0o600 })
  return made
}
