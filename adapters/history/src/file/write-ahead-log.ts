import { checksum, type ChecksumOrder } from './log-checksum.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

type Log =
  | { readonly kind: 'empty' }
  | { readonly kind: 'headless' }
  | {
      readonly kind: 'log'
      /** The mark of this log; it changes when SQLite starts it over. */
      readonly salt: bigint
      /** From its start on: what SQLite takes the log to be. */
      readonly wholeFrames: number
      readonly wholeBytes: number
      /** Transactions of this log that SQLite would not see. */
      readonly commitsBehind: number
      /** Whether a frame of this log is behind what is whole. */
      readonly endsBroken: boolean
    }

/** What is in a write-ahead log; see https://sqlite.org/fileformat2.html#the_write_ahead_log. */
export function lookAtLog(log: DataView): Log {
  if (log.byteLength < HEADER_BYTES || log.getUint32(0) === 0) return { kind: 'empty' }
  // The last bit of the first word names the byte order.
  const order: ChecksumOrder = (log.getUint32(0) & 1) === 0 ? 'little' : 'big'
  const sum = checksum(log, order).add(0, HEADER_BYTES - 8)
  if (!sum.is(HEADER_BYTES - 8, 'big')) return { kind: 'headless' }
  const frameBytes = FRAME_HEADER_BYTES + log.getUint32(8)
  const starts: number[] = []
  for (let at = HEADER_BYTES; at + frameBytes <= log.byteLength; at += frameBytes) starts.push(at)
  const broken = starts.findIndex((at) => !isWhole(at))
  const wholeFrames = broken === -1 ? starts.length : broken
  const behind = starts.slice(wholeFrames, starts.findLastIndex(isOfThisLog) + 1)
  return {
    kind: 'log',
    salt: log.getBigUint64(16),
    wholeFrames,
    wholeBytes: HEADER_BYTES + wholeFrames * frameBytes,
    commitsBehind: behind.filter((at) => log.getUint32(at + 4) > 0).length,
    endsBroken: behind.length > 0,
  }

  function isWhole(at: number): boolean {
    return (
      log.getBigUint64(at + 8) === log.getBigUint64(16) &&
      sum
        .add(at, 8)
        .add(at + FRAME_HEADER_BYTES, frameBytes - FRAME_HEADER_BYTES)
        .is(at + 16, 'big')
    )
  }

  /** Both halves of the salt are other ones in what is left of an earlier log; one wrong half is damage. */
  function isOfThisLog(at: number): boolean {
    return log.getUint32(at + 8) === log.getUint32(16) || log.getUint32(at + 12) === log.getUint32(20)
  }
}
