import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { PlatformError } from '@parley/contracts'
import type { FileIdentity } from './trust-store.ts'

/** Reads a file, and says which exact bytes at which path were read. */
export async function identified<T>(
  file: string,
  read: (file: string) => Promise<T>,
): Promise<{ readonly value: T; readonly identity: FileIdentity }> {
  // Where it cannot be read, the reader's own failure says best why.
  const before = await identityOf(file).catch(() => undefined)
  const value = await read(file)
  const identity = await identityOf(file)
  if (before?.sha256 === identity.sha256) return { value, identity }
  throw new PlatformError('config_invalid', {
    message: `The file ${file} changed while it was read.`,
    mend: 'Try again.',
    file,
  })
}

async function identityOf(file: string): Promise<FileIdentity> {
  const bytes = await readFile(file)
  return { path: await realpath(file), sha256: createHash('sha256').update(bytes).digest('hex') }
}
