import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { PlatformError } from '@parley/contracts'
import {
  type HistoryKey,
  type KeySearch,
  type KeySources,
  type Keychain,
  type HistoryKeys,
  type KeySecret,
  hasKeyFile,
  toKeyFilePath,
  toFileKey,
  toKeychainKey,
  getErrorText,
  writeKeyFile,
} from './history-key.ts'
import { type KeyCheck, matchesKey, createKeyCheck, readKeyChecks, writeKeyChecks } from './key-check.ts'

export const createSecret = (): KeySecret => ({ kind: 'raw', hex: randomBytes(32).toString('hex') })

/** Stores a new random key in the keychain, or in a file if there is no keychain. */
export async function createKey(
  sources: KeySources,
  { keychainFailure }: Extract<KeySearch, { kind: 'missing' }>,
): Promise<HistoryKey> {
  const key = await storeNewKey(sources, requireRawHex(createSecret()), keychainFailure)
  if (key.place === 'key file') {
    sources.onNotice(
      `No system keychain found, so the key of your history is in ${toKeyFilePath(sources.folder)}, which only you can read. Keep a copy (parley keys back-up FILE): without it the history cannot be opened.`,
    )
  }
  return key
}

/** Stores a key: in the key file if there is one, since that is read before the keychain. */
export async function storeKey(sources: KeySources, hex: string): Promise<HistoryKey> {
  const path = toKeyFilePath(sources.folder)
  if (!(await hasKeyFile(path))) return storeNewKey(sources, hex)
  await writeKeyFile(path, hex)
  return toFileKey(path, hex)
}

/** Replaces the keys at their place. A key from the environment is not stored. */
export async function replaceKeys({ folder, keychain }: KeySources, keys: HistoryKeys): Promise<void> {
  const [{ place, where }] = keys
  if (place !== 'key file' && place !== 'keychain') return
  const text = keys.map(({ secret }) => requireRawHex(secret)).join('\n')
  if (place === 'key file') return writeKeyFile(toKeyFilePath(folder), text)
  const failure = await storeInKeychain(keychain, folder, text)
  if (failure !== undefined) throw createKeychainError(where, failure)
}

async function storeNewKey(
  { folder, keychain }: KeySources,
  hex: string,
  keychainFailure?: string,
): Promise<HistoryKey> {
  const failure = keychainFailure ?? (await storeInKeychain(keychain, folder, hex))
  if (failure === undefined) return toKeychainKey(folder, hex)
  const path = toKeyFilePath(folder)
  await writeKeyFile(path, hex)
  return toFileKey(path, hex)
}

/** The reason if the keychain did not store it. */
async function storeInKeychain(
  keychain: Keychain,
  folder: string,
  text: string,
): Promise<string | undefined> {
  try {
    await keychain.set(folder, text)
    return (await keychain.get(folder)) === text ? undefined : 'it did not store the key'
  } catch (error) {
    return getErrorText(error)
  }
}

function requireRawHex(secret: KeySecret): string {
  if (secret.kind === 'raw') return secret.hex
  throw new PlatformError('internal', { message: 'A passphrase is never stored.' })
}

const createKeychainError = (where: string, failure: string) =>
  new PlatformError('history_unwritable', {
    message: `The key cannot be written to ${where}: ${failure}. Unlock the keychain, then try again.`,
  })

/** The copy of the history with the new key. */
export const toDraftPath = (historyFile: string) => `${historyFile}.next`

interface OpenedHistory {
  readonly path: string
  /** The real path, with links resolved. */
  readonly file: string
  /** The key that opens it. */
  readonly key: HistoryKey
}

/**
 * Completes a rotation, also an interrupted one: keeps the key that opens the history and forgets the other. The checks
 * come last, since a second check marks an unfinished rotation.
 */
export async function completeRotation(
  { path, file, key }: OpenedHistory,
  sources: KeySources,
  foundKeys: HistoryKeys,
): Promise<void> {
  const checks = await readKeyChecks(path)
  if (checks.length === 1 && foundKeys.length === 1) return
  await removeDraft(file)
  if (foundKeys.length > 1) await replaceKeys(sources, [key])
  await writeKeyChecks(path, [await findCheck(checks, key)])
}

/** With SQLite's journal. */
export async function removeDraft(historyFile: string): Promise<void> {
  for (const suffix of ['', '-journal']) await rm(`${toDraftPath(historyFile)}${suffix}`, { force: true })
}

/** The existing check of the key, which knows since when it is in use. */
async function findCheck(checks: readonly KeyCheck[], key: HistoryKey): Promise<KeyCheck> {
  for (const check of checks) if (await matchesKey(check, key)) return check
  return createKeyCheck(key)
}
