import { lstat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { withHistoryLock } from '../file/history-lock.ts'
import { type HistoryOptions, withHistoryPlace, requireHistory } from '../file/history-place.ts'
import { openFile, openWithKeys } from '../file/open-file.ts'
import { writeNewPrivateFile, writePrivateFile } from '../file/private-file.ts'
import { type HistoryKey, type KeyPlace, isRawKey } from './history-key.ts'
import { storeKey } from './store-keys.ts'
import { matchesKey, createKeyCheck, readKeyChecks, writeKeyChecks } from './key-check.ts'

interface RestoreOptions extends HistoryOptions {
  /** The back-up's text, and the name of its file. */
  readonly text: string
  readonly file: string
}

interface RestoredKey {
  readonly history: string
  readonly keyPlace: KeyPlace
  /** The place, for messages. */
  readonly where: string
}

/** Stores a backed-up key if it opens the history; otherwise changes nothing. */
export function restoreKey({ text, file, ...options }: RestoreOptions): Promise<RestoredKey> {
  return withHistoryPlace(options, { makeFolder: false }, async ({ path, sources }) => {
    const hex = parseBackUp(text, file)
    await requireHistory(path)
    return withHistoryLock(path, 'shared', async () => {
      const key: HistoryKey = { place: 'back-up', where: `the file ${file}`, secret: { kind: 'raw', hex } }
      const { database } = await openWithKeys(path, sources, [key])
      database.close()
      const { place, where } = await storeKey(sources, hex)
      const [check] = await readKeyChecks(path)
      // A history that was restored with its key has the checks of another key.
      if (check && !(await matchesKey(check, key))) await writeKeyChecks(path, [await createKeyCheck(key)])
      return { history: path, keyPlace: place, where }
    })
  })
}

interface KeyBackUp {
  readonly history: string
  readonly key: string
  /** The text of its file. */
  readonly text: string
}

/** Reads the key, after checking that it opens the history. */
export function readKeyToBackUp(options: HistoryOptions): Promise<KeyBackUp> {
  return withHistoryPlace(options, { makeFolder: false }, async (place) => {
    const { path } = place
    await requireHistory(path)
    return withHistoryLock(path, 'shared', async () => {
      const { database, key } = await openFile(place)
      database.close()
      if (key.secret.kind === 'passphrase') throw createPassphraseError()
      const hex = key.secret.hex.toLowerCase()
      return { history: path, key: hex, text: `${createBackUpTitle(path)}\n${hex}\n` }
    })
  })
}

/** Writes a file that only its owner can read; overwrites an existing file only on request. */
export async function writeBackUp(
  file: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  try {
    const existing = await lstat(file).catch(() => undefined)
    if (existing && !existing.isFile()) throw createWriteError(file, 'it exists and is not a regular file')
    await (overwrite ? writePrivateFile(file, text) : writeNewPrivateFile(file, text))
  } catch (error) {
    if (error instanceof PlatformError) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    throw code === 'EEXIST'
      ? createExistsError(file)
      : createWriteError(file, WRITE_FAILURES[code] ?? String(error))
  }
}

/** The key in the text of a back-up: its only line that is not a comment. */
function parseBackUp(text: string, file: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const [key, ...rest] = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (key !== undefined && isRawKey(key) && rest.length === 0) return key
  throw new PlatformError('validation', {
    message: `${file} holds no key: it needs one line of 64 hexadecimal digits, as \`parley keys back-up\` writes it. Nothing was changed.`,
  })
}

const createBackUpTitle = (path: string) =>
  `# The key of the Parley history ${JSON.stringify(path)}, as of ${new Date().toISOString()}. Anyone who has it can read the history. \`parley keys restore\` restores it.`

const WRITE_FAILURES: Readonly<Record<string, string>> = {
  EACCES: 'access is denied',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'its folder is not a folder',
  EPERM: 'access is denied',
  EROFS: 'its disk is read-only',
}

const createPassphraseError = () =>
  new PlatformError('validation', {
    message:
      'The key is the passphrase in PARLEY_HISTORY_KEY. It is stored nowhere else, so there is nothing to back up but the passphrase itself.',
    fix: 'Keep it where you keep your passwords: without it the history cannot be opened.',
  })

const createExistsError = (file: string) =>
  new PlatformError('validation', {
    message: `${resolve(file)} already exists and was not overwritten: it may be the only copy of another key.`,
    fix: 'Name another file, or add --force.',
  })

const createWriteError = (file: string, reason: string) =>
  new PlatformError('validation', {
    message: `The key cannot be written to ${resolve(file)}: ${reason}.`,
    fix: 'Name another file.',
  })
