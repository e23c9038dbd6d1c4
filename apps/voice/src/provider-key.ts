import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSecret } from '@parley/postgres'

/** The key that clients send: the one that is set, else the one made at the first start and kept in a file only its owner can read. */
export async function providerKey(
  home: string,
  set: string | undefined,
  onNotice: (notice: string) => void,
): Promise<string> {
  const known = set ?? (await readSecret(join(home, FILE), 'voice key', onNotice))
  if (known) return known
  const made = `sk_${randomBytes(24).toString('hex')}`
  await mkdir(home, { recursive: true, mode: 0o700 })
  await writeFile(join(home, FILE), `${made}\n`, { mode: 0o600 })
  return made
}

const FILE = 'voice-key'
