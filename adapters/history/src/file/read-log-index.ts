import { closeSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'
import { checksum, type ChecksumOrder } from './log-checksum.ts'

/** What SQLite noted, after it was on the disk, of the log: how far it goes, and how far it was moved to the file. */
interface LogIndex {
  readonly salt: bigint
  readonly frames: number
  readonly moved: number
}

/** The index's head is kept twice; what follows begins with how far the log was moved. */
const HEAD_BYTES = 48
const READ_BYTES = 2 * HEAD_BYTES + 4
const VERSION = 3_007_000

/**
 * Nothing where there is no index or another process is just writing it. A killed process leaves its index as it was;
 * after a loss of power it may be an older one. See https://sqlite.org/walformat.html#the_wal_index_file_format.
 */
export function readLogIndex(path: string): LogIndex | undefined {
  const bytes = readStart(path)
  if (!bytes || !bytes.subarray(0, HEAD_BYTES).equals(bytes.subarray(HEAD_BYTES, 2 * HEAD_BYTES)))
    return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const order: ChecksumOrder = endianness() === 'LE' ? 'little' : 'big'
  const isWhole = checksum(view, order)
    .add(0, HEAD_BYTES - 8)
    .is(HEAD_BYTES - 8, order)
  const number = (at: number) => view.getUint32(at, order === 'little')
  if (!isWhole || number(0) !== VERSION) return undefined
  // The salt alone is kept as it stands in the log.
  return { salt: view.getBigUint64(32), frames: number(16), moved: number(2 * HEAD_BYTES) }
}

/** In one go, so that no database of this process is opened between: to close the file would undo its locks. */
function readStart(path: string): Buffer | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    const bytes = Buffer.alloc(READ_BYTES)
    return readSync(file, bytes, 0, READ_BYTES, 0) === READ_BYTES ? bytes : undefined
  } finally {
    closeSync(file)
  }
}
