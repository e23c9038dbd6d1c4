import { readFile } from 'node:fs/promises'
import { damaged } from './history-error.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/**
 * SQLite takes its log to end where a checksum fails, and writes over what follows. For the last transaction that is
 * right: power was lost before anyone was told that it is safe. With more than one behind it, kept words would be lost.
 */
export async function checkWriteAheadLog(historyPath: string): Promise<void> {
  const path = `${historyPath}-wal`
  const broken = breakIn(await readLog(path))
  if (broken === undefined) return
  // A log that another process is writing may look broken once, but not twice at the same place.
  if (breakIn(await readLog(path)) !== broken) return
  throw damaged(
    historyPath,
    `its log ${path} is broken at byte ${broken}, before things that were kept, and without it all but what was said last can be opened`,
  )
}

async function readLog(path: string): Promise<DataView> {
  try {
    const log = await readFile(path)
    return new DataView(log.buffer, log.byteOffset, log.byteLength)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new DataView(new ArrayBuffer(0))
    throw error
  }
}

/** The place of a break with more than one whole transaction behind it. */
function breakIn(log: DataView): number | undefined {
  if (log.byteLength < HEADER_BYTES || log.getUint32(0) === 0) return undefined
  const sum = checksumOver(log)
  if (!sum.add(0, HEADER_BYTES - 8).is(HEADER_BYTES - 8)) return 0
  const frameBytes = FRAME_HEADER_BYTES + log.getUint32(8)
  let broken: number | undefined
  let commitsBehind = 0
  for (let at = HEADER_BYTES; at + frameBytes <= log.byteLength; at += frameBytes) {
    const isOfThisLog = log.getBigUint64(at + 8) === log.getBigUint64(16)
    if (broken === undefined && !(isOfThisLog && isFrameWhole(at))) broken = at
    if (broken !== undefined && isOfThisLog && log.getUint32(at + 4) > 0) commitsBehind += 1
  }
  return commitsBehind > 1 ? broken : undefined

  function isFrameWhole(at: number): boolean {
    return sum
      .add(at, 8)
      .add(at + FRAME_HEADER_BYTES, frameBytes - FRAME_HEADER_BYTES)
      .is(at + 16)
  }
}

/** As in https://sqlite.org/fileformat2.html#checksum_algorithm; the last bit of the first word names the byte order. */
function checksumOver(log: DataView) {
  const isLittleEndian = (log.getUint32(0) & 1) === 0
  let first = 0
  let second = 0
  return {
    add(start: number, length: number) {
      for (let at = start; at < start + length; at += 8) {
        first = (first + log.getUint32(at, isLittleEndian) + second) >>> 0
        second = (second + log.getUint32(at + 4, isLittleEndian) + first) >>> 0
      }
      return this
    },
    is: (at: number) => first === log.getUint32(at) && second === log.getUint32(at + 4),
  }
}
