import { inflateRawSync } from 'node:zlib'
import type { ZipEntry } from './read-zip-directory.ts'

const HEADER = 0x04034b50
const HEADER_SIZE = 30
const STORED = 0
const DEFLATED = 8

/** The bytes of one file in an archive; undefined where they are not what the directory says, above all if they are more. */
export function unpackEntry(bytes: Uint8Array, entry: ZipEntry): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { offset, packed, unpacked, method } = entry
  if (offset + HEADER_SIZE > bytes.length || view.getUint32(offset, true) !== HEADER) return undefined
  const from = offset + HEADER_SIZE + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
  if (from + packed > bytes.length) return undefined
  const data = bytes.subarray(from, from + packed)
  const whole = method === STORED ? data : method === DEFLATED ? inflated(data, unpacked) : undefined
  return whole?.length === unpacked ? whole : undefined
}

function inflated(data: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(size, 1) })
  } catch {
    return undefined
  }
}
