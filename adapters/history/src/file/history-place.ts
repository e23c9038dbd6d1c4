import { mkdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { type KeySources, type Keychain, osKeychain } from '../key/history-key.ts'
import { hasKeyChecks } from '../key/key-check.ts'
import { damaged, historyError } from './history-error.ts'

export interface HistoryOptions {
  /** The folder that holds it; made where it is missing. */
  readonly home: string
  /** 64 hexadecimal digits are the key itself; any other text is a passphrase, and an empty one is none. */
  readonly key?: string
  readonly keychain?: Keychain
  /** Told in a sentence where a key was put, and what was mended. */
  readonly onNotice?: (text: string) => void
}

export interface HistoryPlace {
  readonly path: string
  readonly sources: KeySources
}

/** Does something with the history at its place; what goes wrong with files is told in our words. */
export async function atHistory<T>(
  { home, key, keychain, onNotice }: HistoryOptions,
  { makeFolder }: { readonly makeFolder: boolean },
  work: (place: HistoryPlace) => Promise<T>,
): Promise<T> {
  let path = join(resolve(home), 'history.db')
  try {
    if (makeFolder) await mkdir(home, { recursive: true, mode: 0o700 })
    const folder = (await ifThere(realpath(home))) ?? resolve(home)
    path = join(folder, 'history.db')
    const sources: KeySources = {
      folder,
      keychain: keychain ?? osKeychain,
      onNotice: onNotice ?? (() => undefined),
      ...(key && { given: key }),
    }
    return await work({ path, sources })
  } catch (error) {
    throw historyError(error, path)
  }
}

/** An empty file is one whose making was broken off, unless a key once opened it. To SQLite one byte is empty, too. */
export async function isThere(path: string): Promise<boolean> {
  const found = await ifThere(stat(path))
  if (found === undefined || found.size > 1) return found !== undefined
  if (await hasKeyChecks(path)) throw damaged(path, 'it is empty')
  return false
}

export async function mustBeThere(path: string): Promise<void> {
  if (await isThere(path)) return
  throw new PlatformError('not_found', {
    path,
    message: `There is no history ${path} yet, and so no key: both are made with the first conversation.`,
    mend: 'Start one with `parley chat`, or set PARLEY_HOME to the folder of the history that you mean.',
  })
}

async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
