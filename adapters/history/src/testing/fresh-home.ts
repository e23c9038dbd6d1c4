import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export const KEY = '5a'.repeat(32)

/** Where test runs write: in memory where they found room, since a write to a history waits for the disk. */
const ROOT = process.env['PARLEY_TEST_FOLDER'] ?? tmpdir()

export const newHome = (): Promise<string> => mkdtemp(join(ROOT, 'parley-history-'))

/** A folder of the test's own, gone when the test is. */
export async function freshHome(): Promise<string> {
  const home = await newHome()
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return home
}

/** Every file of a folder with its bytes. */
export async function bytesIn(home: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(home)).toSorted()
  const files = names.map(async (name) => [name, await readFile(join(home, name), 'base64')] as const)
  return Object.fromEntries(await Promise.all(files))
}
