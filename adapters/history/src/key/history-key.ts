import { randomBytes } from 'node:crypto'
import { PlatformError } from '@parley/contracts'
import { isRawKey, keyFileIn, readKeyFile, writeKeyFile } from './key-file.ts'
import { type Keychain, KEYCHAIN_SERVICE } from './keychain.ts'

export type KeyPlace = 'environment' | 'keychain' | 'key file'

export interface HistoryKey {
  readonly place: KeyPlace
  /** The place in words. */
  readonly where: string
  readonly secret:
    | { readonly kind: 'raw'; readonly hex: string }
    | { readonly kind: 'passphrase'; readonly passphrase: string }
}

export interface KeySources {
  readonly folder: string
  readonly given?: string
  readonly keychain: Keychain
  readonly onNotice: (text: string) => void
}

export type KeySearch =
  | { readonly kind: 'found'; readonly key: HistoryKey }
  | { readonly kind: 'missing'; readonly keychainFailure?: string }
type Missing = Extract<KeySearch, { kind: 'missing' }>

/** The key that is given, else the key file's, else the keychain's. */
export async function findKey({ folder, given, keychain, onNotice }: KeySources): Promise<KeySearch> {
  if (given !== undefined) return { kind: 'found', key: givenKey(given) }
  const path = keyFileIn(folder)
  const inFile = await readKeyFile(path, onNotice)
  if (inFile !== undefined) return { kind: 'found', key: keyInFile(path, inFile) }
  try {
    const kept = await keychain.get(folder)
    if (kept === undefined) return { kind: 'missing' }
    if (isRawKey(kept)) return { kind: 'found', key: keyInKeychain(folder, kept) }
  } catch (error) {
    return { kind: 'missing', keychainFailure: wordsOf(error) }
  }
  throw new PlatformError('history_key_wrong', {
    message: `What ${keychainOf(folder)} holds is not a key: that would be 64 hexadecimal digits. Put the right key back there, or set PARLEY_HISTORY_KEY to it.`,
  })
}

/** A new random key, in the keychain; where that is not to be had, in a file. */
export async function makeKey(sources: KeySources, { keychainFailure }: Missing): Promise<HistoryKey> {
  const { folder, keychain, onNotice } = sources
  const hex = randomBytes(32).toString('hex')
  const failure = keychainFailure ?? (await keepInKeychain(keychain, folder, hex))
  if (failure === undefined) return keyInKeychain(folder, hex)
  const path = keyFileIn(folder)
  await writeKeyFile(path, hex)
  onNotice(
    `No keychain is to be had here, so the key of your history is in ${path}, which only you can read. Keep a copy: without it the history cannot be opened.`,
  )
  return keyInFile(path, hex)
}

export function keyNotFound(
  path: string,
  { folder }: KeySources,
  { keychainFailure }: Missing,
): PlatformError {
  const keychain = keychainFailure === undefined ? '' : `, which cannot be used here: ${keychainFailure}`
  const message = `There is a history ${path}, but no key to it. Looked for one in PARLEY_HISTORY_KEY, in the key file ${keyFileIn(folder)} and in ${keychainOf(folder)}${keychain}. Put the key back in one of them, or move the history away to start anew. Nothing was changed.`
  return new PlatformError('history_key_wrong', { path, message })
}

/** Why the key is not there afterwards, if it is not. */
async function keepInKeychain(keychain: Keychain, folder: string, hex: string): Promise<string | undefined> {
  try {
    await keychain.set(folder, hex)
    return (await keychain.get(folder)) === hex ? undefined : 'it did not keep what it was given'
  } catch (error) {
    return wordsOf(error)
  }
}

const givenKey = (text: string): HistoryKey => ({
  place: 'environment',
  where: 'PARLEY_HISTORY_KEY',
  secret: isRawKey(text) ? { kind: 'raw', hex: text } : { kind: 'passphrase', passphrase: text },
})

const keyInFile = (path: string, hex: string): HistoryKey => ({
  place: 'key file',
  where: `the key file ${path}`,
  secret: { kind: 'raw', hex },
})

const keyInKeychain = (folder: string, hex: string): HistoryKey => ({
  place: 'keychain',
  where: keychainOf(folder),
  secret: { kind: 'raw', hex },
})

const keychainOf = (folder: string) => `the keychain (service "${KEYCHAIN_SERVICE}", account "${folder}")`

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
