import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A secret that the data folder keeps, in a file that only its owner can read. */
interface KeptSecret {
  readonly file: string
  /** For people to read. */
  readonly what: string
  readonly make: () => string
}

export const OWNER_TOKEN: KeptSecret = {
  file: 'owner-token',
  what: 'owner token',
  make: () => `parley_${randomBytes(32).toString('base64url')}`,
}

/** What clients of the local voice provider send. */
export const VOICE_KEY: KeptSecret = {
  file: 'voice-key',
  what: 'voice key',
  make: () => `sk_${randomBytes(24).toString('hex')}`,
}

/** What proves that a conversation is one that we started. */
export const BINDING_SECRET: KeptSecret = {
  file: 'binding-secret',
  what: 'binding secret',
  make: () => randomBytes(32).toString('hex'),
}

/** What the voice provider sends with each call of a tool. */
export const TOOL_SECRET: KeptSecret = {
  file: 'tool-secret',
  what: 'tool secret',
  make: () => randomBytes(32).toString('hex'),
}

interface Place {
  readonly home: string
  /** Counts before the one that is kept. */
  readonly set: string | undefined
  readonly onNotice: (notice: string) => void
}

/** The one that is set, else the one made at the first start. */
export async function keptSecret(secret: KeptSecret, place: Place): Promise<string> {
  if (place.set) return place.set
  const { readSecret } = await import('@parley/postgres')
  const kept = await readSecret(join(place.home, secret.file), secret.what, place.onNotice)
  if (kept) return kept
  const made = secret.make()
  await mkdir(place.home, { recursive: true, mode: 0o700 })
  await writeFile(join(place.home, secret.file), `${made}\n`, { mode: 0o600 })
  return made
}
