import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3-multiple-ciphers'
import { onTestFinished } from 'vitest'

export const KEY = '5a'.repeat(32)

/** Test runs write to memory if there is room, since a write to a history waits for the disk. */
const ROOT = process.env['PARLEY_TEST_FOLDER'] ?? tmpdir()

export const createHome = (): Promise<string> => mkdtemp(join(ROOT, 'parley-history-'))

/** A folder for one test, removed after it. */
export async function createTestHome(): Promise<string> {
  const home = await createHome()
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return home
}

/** Every file of a folder with its bytes. */
export async function readAllFiles(home: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(home)).toSorted()
  const files = names.map(async (name) => [name, await readFile(join(home, name), 'base64')] as const)
  return Object.fromEntries(await Promise.all(files))
}

/** A direct connection to a history with the test key. It does not wait for locks. */
export function openRaw(path: string): Database {
  const raw = new Database(path, { fileMustExist: true, timeout: 0 })
  raw.pragma("cipher = 'chacha20'")
  raw.pragma(`key = "x'${KEY}'"`)
  return raw
}
