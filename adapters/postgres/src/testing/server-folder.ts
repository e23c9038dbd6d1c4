import { realpathSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
/** A whole test run takes less than half of it. */
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * Where the tests make their Postgres servers: in memory where there is room, else on the disk. A database is a thousand
 * files, and to clone one takes 400 ms on some disks and 20 ms here.
 */
export const SERVER_FOLDER = hasRoom(MEMORY) ? MEMORY : realpathSync(tmpdir())

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > ROOM_BYTES
  } catch {
    return false
  }
}
