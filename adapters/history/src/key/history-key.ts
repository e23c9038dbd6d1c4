import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { writePrivateFile } from '../file/private-file.ts'

export type KeyPlace = 'environment' | 'keychain' | 'key file' | 'back-up'

export type KeySecret =
  | { readonly kind: 'raw'; readonly hex: string }
  | { readonly kind: 'passphrase'; readonly passphrase: string }

export interface HistoryKey {
  readonly place: KeyPlace
  /** The place, for messages. */
  readonly where: string
  readonly secret: KeySecret
}

/** During a rotation there are two at its place: the old key, then the new one. */
export type HistoryKeys = readonly [HistoryKey, ...HistoryKey[]]

export interface KeySources {
  readonly folder: string
  readonly given?: string
  readonly keychain: Keychain
  readonly onNotice: (text: string) => void
}

export type KeySearch =
  | { readonly kind: 'found'; readonly keys: HistoryKeys }
  | { readonly kind: 'missing'; readonly keychainFailure?: string }
type MissingKey = Extract<KeySearch, { kind: 'missing' }>

/** The key from the environment, else from the key file, else from the keychain. */
export async function findKeys({ folder, given, keychain, onNotice }: KeySources): Promise<KeySearch> {
  if (given !== undefined) return { kind: 'found', keys: [toGivenKey(given)] }
  const path = toKeyFilePath(folder)
  const inFile = await readKeyFile(path, onNotice)
  if (inFile !== undefined) {
    const keys = parseKeys(inFile, (hex) => toFileKey(path, hex))
    if (keys) return { kind: 'found', keys }
    throw new PlatformError('history_key_wrong', {
      path,
      message: `The key file ${path} holds no key (64 hexadecimal digits). Restore the key with \`parley keys restore FILE\`, or set PARLEY_HISTORY_KEY to it. If there is no history.db beside it yet, delete the key file and a new one is created.`,
    })
  }
  let stored: string | undefined
  try {
    stored = await keychain.get(folder)
  } catch (error) {
    return { kind: 'missing', keychainFailure: getErrorText(error) }
  }
  if (stored === undefined) return { kind: 'missing' }
  const keys = parseKeys(stored, (hex) => toKeychainKey(folder, hex))
  if (keys) return { kind: 'found', keys }
  throw new PlatformError('history_key_wrong', {
    message: `The entry in ${describeKeychain(folder)} is not a key (64 hexadecimal digits). Restore the key with \`parley keys restore FILE\`, or set PARLEY_HISTORY_KEY to it.`,
  })
}

export function createKeyNotFoundError(
  path: string,
  { folder }: KeySources,
  { keychainFailure }: MissingKey,
): PlatformError {
  const keychain = keychainFailure === undefined ? '' : `, which cannot be used here: ${keychainFailure}`
  const message = `There is a history ${path}, but no key to it. Looked for one in PARLEY_HISTORY_KEY, in the key file ${toKeyFilePath(folder)} and in ${describeKeychain(folder)}${keychain}. Restore the key with \`parley keys restore FILE\`, set PARLEY_HISTORY_KEY to it, or move the history away to start a new one. Nothing was changed.`
  return new PlatformError('history_key_wrong', { path, message })
}

export const parseSecret = (text: string): KeySecret =>
  isRawKey(text) ? { kind: 'raw', hex: text } : { kind: 'passphrase', passphrase: text }

export const isRawKey = (text: string) => /^[0-9a-f]{64}$/i.test(text)

const toGivenKey = (text: string): HistoryKey => ({
  place: 'environment',
  where: 'PARLEY_HISTORY_KEY',
  secret: parseSecret(text),
})

export const toFileKey = (path: string, hex: string): HistoryKey => ({
  place: 'key file',
  where: `the key file ${path}`,
  secret: { kind: 'raw', hex },
})

export const toKeychainKey = (folder: string, hex: string): HistoryKey => ({
  place: 'keychain',
  where: describeKeychain(folder),
  secret: { kind: 'raw', hex },
})

/** One key per line. */
function parseKeys(text: string, toKey: (hex: string) => HistoryKey): HistoryKeys | undefined {
  const [first, second, ...rest] = text.trim().split(/\s+/)
  const isRight = [first, second].every((hex) => hex === undefined || isRawKey(hex)) && rest.length === 0
  if (first === undefined || !isRight) return undefined
  return second === undefined ? [toKey(first)] : [toKey(first), toKey(second)]
}

const describeKeychain = (folder: string) =>
  `the keychain (service "${KEYCHAIN_SERVICE}", account "${folder}")`

export const getErrorText = (error: unknown) => (error instanceof Error ? error.message : String(error))

export const toKeyFilePath = (folder: string) => join(folder, 'history.key')

/** The text of the key file; undefined if there is none. */
async function readKeyFile(path: string, onNotice: (text: string) => void): Promise<string | undefined> {
  try {
    await restrictAccess(path, onNotice)
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const message = `The key file ${path} cannot be read (${code}). Let your user read it, or set PARLEY_HISTORY_KEY to the key.`
    throw new PlatformError('history_key_wrong', { path, message }, { cause: error })
  }
}

export const writeKeyFile = (path: string, text: string) => writePrivateFile(path, `${text}\n`)

export const hasKeyFile = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

async function restrictAccess(path: string, onNotice: (text: string) => void): Promise<void> {
  const { mode } = await stat(path)
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  await chmod(path, 0o600)
  onNotice(
    `Others on this machine could read the key file ${path}; now only you can. If someone may have read it, treat the history as exposed.`,
  )
}

/** Stores one secret per account. Both functions may reject: many machines have no keychain, or a locked one. */
export interface Keychain {
  readonly get: (account: string) => Promise<string | undefined>
  readonly set: (account: string, secret: string) => Promise<void>
}

const KEYCHAIN_SERVICE = 'parley'

/** The keychain of the operating system. Loaded on first use, since most starts do not need it. */
export const osKeychain: Keychain = {
  async get(account) {
    return (await (await openEntry(account)).getPassword()) ?? undefined
  },
  async set(account, secret) {
    await (await openEntry(account)).setPassword(secret)
  },
}

async function openEntry(account: string) {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  // By default it falls back to the kernel's keyring, which loses everything at a restart.
  return new AsyncEntry(KEYCHAIN_SERVICE, account, { linux: { store: 'secret-service' } })
}
