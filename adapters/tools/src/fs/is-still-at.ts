import { lstat, readlink, realpath, type FileHandle } from 'node:fs/promises'

/** Whether what was opened is what lies at a real path, and not what a link put on the way there has led to. */
export async function isStillAt(opened: FileHandle, path: string): Promise<boolean> {
  const at = await readlink(`/proc/self/fd/${opened.fd}`).catch(() => undefined)
  if (at !== undefined) return at === path
  try {
    const [is, lies, real] = await Promise.all([
      opened.stat({ bigint: true }),
      lstat(path, { bigint: true }),
      realpath(path),
    ])
    return is.dev === lies.dev && is.ino === lies.ino && real === path
  } catch {
    return false
  }
}
