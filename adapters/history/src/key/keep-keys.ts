import { randomBytes } from 'node:crypto'
import { PlatformError } from '@parley/contracts'
import {
  type HistoryKey,
  type Keys,
  type KeySearch,
  type KeySources,
  keyInFile,
  keyInKeychain,
  type Secret,
  wordsOf,
} from './history-key.ts'
import { hasKeyFile, keyFileIn, writeKeyFile } from './key-file.ts'
import type { Keychain } from './keychain.ts'

export const newSecret = (): Secret => ({ kind: 'raw', hex: randomBytes(32).toString('hex') })

/** A new random key, in the keychain; where that is not to be had, in a file. */
export async function makeKey(
  sources: KeySources,
  { keychainFailure }: Extract<KeySearch, { kind: 'missing' }>,
): Promise<HistoryKey> {
  const key = await keepAnew(sources, hexOf(newSecret()), keychainFailure)
  if (key.place === 'key file') {
    sources.onNotice(
      `No keychain is to be had here, so the key of your history is in ${keyFileIn(sources.folder)}, which only you can read. Keep a copy (parley keys back-up FILE): without it the history cannot be opened.`,
    )
  }
  return key
}

/** Puts a key where it is found from now on: in the key file where there is one, since it goes before the keychain. */
export async function putKey(sources: KeySources, hex: string): Promise<HistoryKey> {
  const path = keyFileIn(sources.folder)
  if (!(await hasKeyFile(path))) return keepAnew(sources, hex)
  await writeKeyFile(path, hex)
  return keyInFile(path, hex)
}

/** Has these keys, and no others, at the place that they are of. What a person gives is theirs to keep. */
export async function keepKeys({ folder, keychain }: KeySources, keys: Keys): Promise<void> {
  const [{ place, where }] = keys
  if (place !== 'key file' && place !== 'keychain') return
  const text = keys.map(({ secret }) => hexOf(secret)).join('\n')
  if (place === 'key file') return writeKeyFile(keyFileIn(folder), text)
  const failure = await keepInKeychain(keychain, folder, text)
  if (failure !== undefined) throw keychainFailed(where, failure)
}

async function keepAnew(
  { folder, keychain }: KeySources,
  hex: string,
  keychainFailure?: string,
): Promise<HistoryKey> {
  const failure = keychainFailure ?? (await keepInKeychain(keychain, folder, hex))
  if (failure === undefined) return keyInKeychain(folder, hex)
  const path = keyFileIn(folder)
  await writeKeyFile(path, hex)
  return keyInFile(path, hex)
}

/** Why it is not there afterwards, if it is not. */
async function keepInKeychain(keychain: Keychain, folder: string, text: string): Promise<string | undefined> {
  try {
    await keychain.set(folder, text)
    return (await keychain.get(folder)) === text ? undefined : 'it did not keep what it was given'
  } catch (error) {
    return wordsOf(error)
  }
}

function hexOf(secret: Secret): string {
  if (secret.kind === 'raw') return secret.hex
  throw new PlatformError('internal', { message: 'A passphrase is not kept anywhere.' })
}

const keychainFailed = (where: string, failure: string) =>
  new PlatformError('history_unwritable', {
    message: `The key cannot be written to ${where}: ${failure}. Unlock the keychain, then try again.`,
  })
