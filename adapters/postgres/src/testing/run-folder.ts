import { realpathSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** A whole run takes less than half of it. */
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * Where run folders are: in memory where there is room, else on the disk. A database is a thousand files, and to copy
 * them takes ten times as long on some disks.
 */
export const RUN_FOLDERS = hasRoom(MEMORY) ? MEMORY : realpathSync(tmpdir())
const NAME = /^parley-test-(\d+)$/

/** The folder of this process for everything temporary of a test run. */
export const ownRunFolder = (): string => join(RUN_FOLDERS, `parley-test-${process.pid}`)

/** The process whose run folder has this name; 0 for any other name. */
export const ownerOfRunFolder = (name: string): number => Number(NAME.exec(name)?.[1] ?? 0)

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > ROOM_BYTES
  } catch {
    return false
  }
}
