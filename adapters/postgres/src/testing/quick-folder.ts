import { realpathSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Where tests keep what they write much of: in memory where there is room, since making many files on a disk is slow. */
export function quickFolder(): string {
  return (process.env[FOLDER_VARIABLE] ??= findRoom())
}

/** Set for the processes of a run, so that packages that know nothing of this one find it. */
const FOLDER_VARIABLE = 'PARLEY_TEST_QUICK_FOLDER'

const MEMORY = '/dev/shm'
const NEEDED_BYTES = 4 * 2 ** 30

function findRoom(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize > NEEDED_BYTES) return MEMORY
  } catch {
    // Only Linux has it.
  }
  return realpathSync(tmpdir())
}
