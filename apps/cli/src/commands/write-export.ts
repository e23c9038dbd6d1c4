import { randomBytes } from 'node:crypto'
import { link, lstat, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PlatformError } from '@parley/contracts'

/** For its owner alone, and whole or not at all; over a file that is there only where that is asked for. */
export async function writeExport(
  file: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  const draft = join(dirname(file), `.${basename(file).slice(0, 100)}.${randomBytes(6).toString('hex')}`)
  try {
    const found = await lstat(file).catch(() => undefined)
    if (found && !found.isFile()) throw notWritten(file, whatIsThere(found.isDirectory()))
    if (found && !overwrite) throw isThereAlready(file)
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    await (overwrite ? rename(draft, file) : renameToNew(draft, file))
  } catch (error) {
    if (error instanceof PlatformError) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    throw code === 'EEXIST' ? isThereAlready(file) : notWritten(file, WHY[code] ?? String(error))
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
  }
}

/** A link, unlike a rename, spares a file that came there meanwhile. */
async function renameToNew(draft: string, file: string): Promise<void> {
  await link(draft, file).catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EEXIST') throw failure
    // Some disks know no links.
    return rename(draft, file)
  })
}

const whatIsThere = (isFolder: boolean) =>
  isFolder ? 'it is a folder' : 'it is there, and is not a plain file'

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'access is denied',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'its folder is not there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'its folder is not a folder',
  EPERM: 'access is denied',
  EROFS: 'its disk can only be read',
}

const isThereAlready = (file: string) =>
  new PlatformError('validation', {
    message: `${file} is there already, and was not written over.`,
    mend: 'Name another file, or add --force.',
    reason: 'exists',
  })

const notWritten = (file: string, why: string) =>
  new PlatformError('validation', {
    message: `The session cannot be written to ${file}: ${why}.`,
    mend: 'Name another file with -o.',
  })
