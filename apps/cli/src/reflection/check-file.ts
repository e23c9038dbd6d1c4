import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { MAX_SOURCE_BYTES, PlatformError } from '@parley/contracts'

/** Refuses what cannot be learned from, whatever is in it, before anything is sent. */
export async function checkFile(file: string): Promise<void> {
  const found = await readable(file)
  if (found.isDirectory()) {
    throw refusal(`${file} is a folder.`, `Name the files in it, such as ${file.replace(/\/+$/, '')}/*.md`)
  }
  if (!found.isFile()) throw refusal(`${file} is no file.`, 'Save what it gives as a file, and name that.')
  if (found.size === 0) throw refusal(`${file} is empty.`, 'Leave it out: there is nothing to learn from it.')
  if (found.size <= MAX_SOURCE_BYTES) return
  throw new PlatformError('payload_too_large', {
    message: `${file} has ${megabytes(found.size)}, and a source at most ${megabytes(MAX_SOURCE_BYTES)}.`,
    mend: 'Split it into several files.',
  })
}

async function readable(file: string) {
  try {
    await access(file, constants.R_OK)
    return await stat(file)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    if (code === 'ENOENT') throw refusal(`There is no file ${file}.`, 'See how its name is written.')
    throw refusal(`${file} cannot be read (${code}).`, 'Mend its rights, or name a copy of it.')
  }
}

const refusal = (message: string, mend: string) => new PlatformError('validation', { message, mend })

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 100_000) / 10} MB`
