import { open } from 'node:fs/promises'
import { codeOf } from './unavailable.ts'

/** What is kept in a file of ours, if it is there. A file that others could read is closed to them, which is told. */
export async function readSecret(
  path: string,
  what: string,
  onNotice: (notice: string) => void,
): Promise<string | undefined> {
  const file = await open(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (!file) return undefined
  try {
    const { mode } = await file.stat()
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      const closed = await file.chmod(0o600).then(
        () => 'they no longer can',
        () => `and still can: run chmod 600 ${path}`,
      )
      onNotice(
        `Other users could read the ${what} in ${path}; ${closed}. If one may have, remove that file: the next start makes a new ${what}.`,
      )
    }
    return (await file.readFile('utf8')).trim()
  } finally {
    await file.close()
  }
}
