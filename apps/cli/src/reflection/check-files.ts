import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { MAX_SOURCE_BYTES, PlatformError } from '@parley/contracts'

/** Refuses what cannot be learned from, whatever is in it, before anything is sent; all such files at once. */
export async function checkFiles(files: readonly string[]): Promise<void> {
  const refused = (await Promise.all(files.map(whyNotSent))).filter((why) => why !== undefined)
  const [only, another] = refused
  if (!only) return
  if (!another) throw only
  throw new PlatformError('validation', {
    message: `${refused.length} of ${files.length} files cannot be learned from. Nothing was sent.`,
    mend: refused.map(({ message }) => message).join('\n'),
  })
}

async function whyNotSent(file: string): Promise<PlatformError | undefined> {
  const found = await readable(file)
  if (found instanceof PlatformError) return found
  if (found.isDirectory()) {
    return refusal(`${file} is a folder.`, `Name the files in it, such as ${file.replace(/\/+$/, '')}/*.md`)
  }
  if (!found.isFile()) return refusal(`${file} is no file.`, 'Save what it gives as a file, and name that.')
  if (found.size === 0)
    return refusal(`${file} is empty.`, 'Leave it out: there is nothing to learn from it.')
  if (found.size <= MAX_SOURCE_BYTES) return undefined
  return new PlatformError('payload_too_large', {
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
    if (code === 'ENOENT') return refusal(`There is no file ${file}.`, 'See how its name is written.')
    return refusal(`${file} cannot be read (${code}).`, 'Mend its rights, or name a copy of it.')
  }
}

const refusal = (message: string, mend: string) => new PlatformError('validation', { message, mend })

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 100_000) / 10} MB`
