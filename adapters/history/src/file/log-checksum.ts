export type ChecksumOrder = 'little' | 'big'

/** A running sum as in https://sqlite.org/fileformat2.html#checksum_algorithm. */
export function checksum(bytes: DataView, order: ChecksumOrder) {
  const isLittle = order === 'little'
  let first = 0
  let second = 0
  return {
    add(start: number, length: number) {
      for (let at = start; at < start + length; at += 8) {
        first = (first + bytes.getUint32(at, isLittle) + second) >>> 0
        second = (second + bytes.getUint32(at + 4, isLittle) + first) >>> 0
      }
      return this
    },
    /** Whether it is the one that is written there. */
    is(at: number, written: ChecksumOrder) {
      const isWrittenLittle = written === 'little'
      return (
        first === bytes.getUint32(at, isWrittenLittle) && second === bytes.getUint32(at + 4, isWrittenLittle)
      )
    },
  }
}
