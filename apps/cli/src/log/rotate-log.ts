import { existsSync, renameSync, statSync } from 'node:fs'

const LARGEST_BYTES = 10 * 1024 * 1024
const KEPT = 3

/** Sets a log aside that has grown large, as `.1`; those that were set aside before move up, and the oldest goes. */
export function rotateLog(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= LARGEST_BYTES) return
  for (let number = KEPT - 1; number > 0; number -= 1) {
    if (existsSync(`${file}.${number}`)) renameSync(`${file}.${number}`, `${file}.${number + 1}`)
  }
  renameSync(file, `${file}.1`)
}
