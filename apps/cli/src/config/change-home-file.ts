import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError } from '@parley/contracts'

/** Changes a file of the data folder while no other process does. All of the new text is there afterwards, or the old. */
export async function changeHomeFile(
  home: string,
  name: string,
  change: (text: string | undefined) => string,
): Promise<void> {
  const path = join(home, name)
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    const lock = await lockOf(home, path)
    try {
      // Who keeps the file elsewhere and links to it, goes on to do so.
      const target = await realpath(path).catch(() => path)
      const text = await readFile(target, 'utf8').catch(ifThere)
      await replace(target, change(text))
    } finally {
      lock.release()
    }
  } catch (failure) {
    if (failure instanceof PlatformError || !(failure instanceof Error) || !('code' in failure)) throw failure
    throw new PlatformError(
      'config_invalid',
      {
        message: `The file ${path} cannot be written (${String(failure.code)}).`,
        mend: 'Mend its rights or those of its folder, or set PARLEY_HOME to another folder.',
        file: path,
      },
      { cause: failure },
    )
  }
}

const PATIENCE = 10_000

async function lockOf(home: string, path: string) {
  const { takeFileLock } = await import('@parley/history')
  const deadline = Date.now() + PATIENCE
  do {
    const lock = takeFileLock(join(home, 'settings.lock'))
    if (lock) return lock
    await pause(20)
  } while (Date.now() < deadline)
  throw new PlatformError('already_running', {
    message: `Another Parley is changing ${path}.`,
    mend: 'Try again when it is done.',
  })
}

function ifThere(failure: NodeJS.ErrnoException): undefined {
  if (failure.code !== 'ENOENT') throw failure
}

async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.new`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (failure) {
    await rm(draft, { force: true })
    throw failure
  }
}
