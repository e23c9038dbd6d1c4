import { mkdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { type KeySources, type Keychain, osKeychain } from '../key/history-key.ts'
import { hasKeyChecks } from '../key/key-check.ts'
import { createDamagedError, toHistoryError } from './history-error.ts'

export interface HistoryOptions {
  /** Its folder, created if missing. */
  readonly home: string
  /** 64 hexadecimal digits are the key itself, any other text is a passphrase; empty means no key. */
  readonly key?: string
  readonly keychain?: Keychain
  /** Receives a sentence about a stored key or a repaired problem. */
  readonly onNotice?: (text: string) => void
}

export interface HistoryPlace {
  readonly path: string
  readonly sources: KeySources
}

/** Runs the work with the history's place, and turns file errors into PlatformErrors. */
export async function withHistoryPlace<T>(
  { home, key, keychain, onNotice }: HistoryOptions,
  { makeFolder }: { readonly makeFolder: boolean },
  work: (place: HistoryPlace) => Promise<T>,
): Promise<T> {
  let path = join(resolve(home), 'history.db')
  try {
    if (makeFolder) await mkdir(home, { recursive: true, mode: 0o700 })
    const folder = (await undefinedIfMissing(realpath(home))) ?? resolve(home)
    path = join(folder, 'history.db')
    const sources: KeySources = {
      folder,
      keychain: keychain ?? osKeychain,
      onNotice: onNotice ?? (() => undefined),
      ...(key && { given: key }),
    }
    return await work({ path, sources })
  } catch (error) {
    throw toHistoryError(error, path)
  }
}

/** An empty file comes from an interrupted creation, unless a key once opened it. To SQLite one byte is empty, too. */
export async function historyExists(path: string): Promise<boolean> {
  const file = await undefinedIfMissing(stat(path))
  if (file === undefined || file.size > 1) return file !== undefined
  if (await hasKeyChecks(path)) throw createDamagedError(path, 'it is empty')
  return false
}

export async function requireHistory(path: string): Promise<void> {
  if (await historyExists(path)) return
  throw new PlatformError('not_found', {
    path,
    message: `There is no history ${path} yet, and so no key: the first conversation creates both.`,
    fix: 'Start one with `parley chat`, or set PARLEY_HOME to the folder of your history.',
  })
}

async function undefinedIfMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
