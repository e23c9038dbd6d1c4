import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipFile {
  readonly name: string
  readonly data: Uint8Array | string
  /** A false size for the directory. */
  readonly claimedSize?: number
  readonly flags?: number
}

/** A normal compressed archive, or a lying one. */
export function createZip(files: readonly ZipFile[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, data, claimedSize, flags = 0 } of files) {
    const { packed, checksum, length } = pack(data)
    const size = claimedSize ?? length
    const sizes = [checksum, packed.length, size]
    const body = Buffer.concat([
      header(0x04034b50, [20, flags, 8, 0, 0], sizes, [name.length, 0]),
      Buffer.from(name),
      packed,
    ])
    directory.push(
      header(0x02014b50, [20, 20, flags, 8, 0, 0], sizes, [name.length, 0, 0, 0, 0, 0, 0]),
      Buffer.from(Uint32Array.of(offset).buffer),
      Buffer.from(name),
    )
    bodies.push(body)
    offset += body.length
  }
  const entries = Buffer.concat(directory)
  const end = header(0x06054b50, [0, 0, files.length, files.length], [entries.length, offset], [0])
  return Buffer.concat([...bodies, entries, end])
}

/** Cached: a bomb takes long to make, and several archives use it. */
const packedFiles = new WeakMap<Uint8Array, Packed>()

interface Packed {
  readonly packed: Buffer
  readonly checksum: number
  readonly length: number
}

function pack(data: Uint8Array | string): Packed {
  const known = typeof data === 'string' ? undefined : packedFiles.get(data)
  if (known) return known
  const bytes = Buffer.from(data)
  const file = { packed: deflateRawSync(bytes), checksum: crc32(bytes), length: bytes.length }
  if (typeof data !== 'string') packedFiles.set(data, file)
  return file
}

/** A signature, then numbers of two, of four and again of two bytes. */
function header(
  signature: number,
  before: readonly number[],
  sizes: readonly number[],
  after: readonly number[],
) {
  return Buffer.concat([
    Buffer.from(Uint32Array.of(signature).buffer),
    Buffer.from(Uint16Array.from(before).buffer),
    Buffer.from(Uint32Array.from(sizes).buffer),
    Buffer.from(Uint16Array.from(after).buffer),
  ])
}
