import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { writePrivately } from '../file/private-file.ts'

export const keyFileIn = (folder: string) => join(folder, 'history.key')

/** The text of the key file, where there is one. */
export async function readKeyFile(
  path: string,
  onNotice: (text: string) => void,
): Promise<string | undefined> {
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
