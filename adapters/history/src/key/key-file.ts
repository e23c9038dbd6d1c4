import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { writePrivately } from '../file/private-file.ts'

export const keyFileIn = (folder: string) => join(folder, 'history.key')

/** The key as hexadecimal digits, where there is a key file. */
export async function readKeyFile(
  path: string,
  onNotice: (text: string) => void,
): Promise<string | undefined> {
  let text: string
  try {
    await tighten(path, onNotice)
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const message = `The key file ${path} cannot be read (${code}). Let your user read it, or set PARLEY_HISTORY_KEY to the key.`
    throw new PlatformError('history_key_wrong', { path, message }, { cause: error })
  }
  const hex = text.trim()
  if (isRawKey(hex)) return hex
  throw new PlatformError('history_key_wrong', {
    path,
    message: `The key file ${path} holds no key: that would be 64 hexadecimal digits. Restore it from a copy, or set PARLEY_HISTORY_KEY to the key. If there is no history.db beside it yet, delete the key file and a new one is made.`,
  })
}

export const writeKeyFile = (path: string, hex: string) => writePrivately(path, `${hex}\n`)

export const isRawKey = (text: string) => /^[0-9a-f]{64}$/i.test(text)

async function tighten(path: string, onNotice: (text: string) => void): Promise<void> {
  const { mode } = await stat(path)
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  await chmod(path, 0o600)
  onNotice(
    `Others on this machine could read the key file ${path}; now only you can. If one of them may have, treat the history as read.`,
  )
}
