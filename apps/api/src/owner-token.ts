import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSecret } from '@parley/postgres'

/** The owner's token: the one that is set, else the one made at the first start and kept in a file only they can read. */
export async function ownerToken(
  home: string,
  set: string | undefined,
  onNotice: (notice: string) => void,
): Promise<string> {
  const known = await knownOwnerToken(home, set, onNotice)
  if (known) return known
  const made = `parley_${randomBytes(32).toString('base64url')}`
  await mkdir(home, { recursive: true, mode: 0o700 })
  await writeFile(join(home, FILE), `${made}\n`, { mode: 0o600 })
  return made
}

/** The same, where there is one already. */
export async function knownOwnerToken(
  home: string,
  set: string | undefined,
  onNotice: (notice: string) => void,
): Promise<string | undefined> {
  return set ?? readSecret(join(home, FILE), 'owner token', onNotice)
}

const FILE = 'owner-token'
