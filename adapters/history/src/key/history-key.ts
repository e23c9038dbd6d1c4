import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { writePrivately } from '../file/private-file.ts'

export type KeyPlace = 'environment' | 'keychain' | 'key file' | 'back-up'

export type Secret =
  | { readonly kind: 'raw'; readonly hex: string }
  | { readonly kind: 'passphrase'; readonly passphrase: string }

export interface HistoryKey {
  readonly place: KeyPlace
  /** The place in words. */
  readonly where: string
  readonly secret: Secret
}

/** While a key is being rotated there are two at its place: the old one, then the new. */
export type Keys = readonly [HistoryKey, ...HistoryKey[]]

export interface KeySources {
  readonly folder: string
  readonly given?: string
  readonly keychain: Keychain
  readonly onNotice: (text: string) => void
}

export type KeySearch =
  | { readonly kind: 'found'; readonly keys: Keys }
  | { readonly kind: 'missing'; readonly keychainFailure?: string }
type Missing = Extract<KeySearch, { kind: 'missing' }>

/** The key that is given, else the key file's, else the keychain's. */
export async function findKeys({ folder, given, keychain, onNotice }: KeySources): Promise<KeySearch> {
  if (given !== undefined) return { kind: 'found', keys: [givenKey(given)] }
  const path = keyFileIn(folder)
  const inFile = await readKeyFile(path, onNotice)
  if (inFile !== undefined) {
    const keys = keysIn(inFile, (hex) => keyInFile(path, hex))
    if (keys) return { kind: 'found', keys }
    throw new PlatformError('history_key_wrong', {
      path,
      message: `The key file ${path} holds no key: that would be 64 hexadecimal digits. Put a copy of it back with \`parley keys restore FILE\`, or set PARLEY_HISTORY_KEY to the key. If there is no history.db beside it yet, delete the key file and a new one is made.`,
    })
  }
  let kept: string | undefined
  try {
    kept = await keychain.get(folder)
  } catch (error) {
    return { kind: 'missing', keychainFailure: wordsOf(error) }
  }
  if (kept === undefined) return { kind: 'missing' }
  const keys = keysIn(kept, (hex) => keyInKeychain(folder, hex))
  if (keys) return { kind: 'found', keys }
  throw new PlatformError('history_key_wrong', {
    message: `What ${keychainOf(folder)} holds is not a key: that would be 64 hexadecimal digits. Put a copy of the key back with \`parley keys restore FILE\`, or set PARLEY_HISTORY_KEY to it.`,
  })
}

export function keyNotFound(
  path: string,
  { folder }: KeySources,
  { keychainFailure }: Missing,
): PlatformError {
  const keychain = keychainFailure === undefined ? '' : `, which cannot be used here: ${keychainFailure}`
  const message = `There is a history ${path}, but no key to it. Looked for one in PARLEY_HISTORY_KEY, in the key file ${keyFileIn(folder)} and in ${keychainOf(folder)}${keychain}. Put a copy of the key back with \`parley keys restore FILE\`, set PARLEY_HISTORY_KEY to it, or move the history away to start anew. Nothing was changed.`
  return new PlatformError('history_key_wrong', { path, message })
}

export const secretOf = (text: string): Secret =>
  isRawKey(text) ? { kind: 'raw', hex: text } : { kind: 'passphrase', passphrase: text }

export const isRawKey = (text: string) => /^[0-9a-f]{64}$/i.test(text)

const givenKey = (text: string): HistoryKey => ({
  place: 'environment',
  where: 'PARLEY_HISTORY_KEY',
  secret: secretOf(text),
})

export const keyInFile = (path: string, hex: string): HistoryKey => ({
  place: 'key file',
  where: `the key file ${path}`,
  secret: { kind: 'raw', hex },
})

export const keyInKeychain = (folder: string, hex: string): HistoryKey => ({
  place: 'keychain',
  where: keychainOf(folder),
  secret: { kind: 'raw', hex },
})

/** Keys are kept one a line. */
function keysIn(text: string, toKey: (hex: string) => HistoryKey): Keys | undefined {
  const [first, second, ...rest] = text.trim().split(/\s+/)
  const isRight = [first, second].every((hex) => hex === undefined || isRawKey(hex)) && rest.length === 0
  if (first === undefined || !isRight) return undefined
  return second === undefined ? [toKey(first)] : [toKey(first), toKey(second)]
}

const keychainOf = (folder: string) => `the keychain (service "${KEYCHAIN_SERVICE}", account "${folder}")`

export const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export const keyFileIn = (folder: string) => join(folder, 'history.key')

/** The text of the key file, where there is one. */
async function readKeyFile(path: string, onNotice: (text: string) => void): Promise<string | undefined> {
  try {
    await tighten(path, onNotice)
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const message = `The key file ${path} cannot be read (${code}). Let your user read it, or set PARLEY_HISTORY_KEY to the key.`
    throw new PlatformError('history_key_wrong', { path, message }, { cause: error })
  }
}

export const writeKeyFile = (path: string, text: string) => writePrivately(path, `${text}\n`)

export const hasKeyFile = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

async function tighten(path: string, onNotice: (text: string) => void): Promise<void> {
  const { mode } = await stat(path)
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  await chmod(path, 0o600)
  onNotice(
    `Others on this machine could read the key file ${path}; now only you can. If one of them may have, treat the history as read.`,
  )
}

/** Keeps one secret per account. Either may reject: many machines have no keychain, or a locked one. */
export interface Keychain {
  readonly get: (account: string) => Promise<string | undefined>
  readonly set: (account: string, secret: string) => Promise<void>
}

const KEYCHAIN_SERVICE = 'parley'

/** The operating system's. Loaded when it is asked, since most starts need not ask it. */
export const osKeychain: Keychain = {
  async get(account) {
    return (await (await entryOf(account)).getPassword()) ?? undefined
  },
  async set(account, secret) {
    await (await entryOf(account)).setPassword(secret)
  },
}

async function entryOf(account: string) {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  // Left to choose, it falls back to the kernel's keyring, which forgets everything when the machine restarts.
  return new AsyncEntry(KEYCHAIN_SERVICE, account, { linux: { store: 'secret-service' } })
}
