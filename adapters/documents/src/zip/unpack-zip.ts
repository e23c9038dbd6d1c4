import { inflateRawSync } from 'node:zlib'

/** One file of an archive, as its directory describes it. Not verified yet. */
interface ZipEntry {
  readonly name: string
  readonly method: number
  readonly packed: number
  readonly unpacked: number
  readonly isEncrypted: boolean
  /** The offset of its local header. */
  readonly offset: number
}

const END = 0x06054b50
const ENTRY = 0x02014b50
const END_SIZE = 22
const ENTRY_SIZE = 46
const MAX_COMMENT = 65_535
const MAX_ENTRIES = 10_000

/** The entries of an archive; undefined if its directory is incomplete, broken or too large for a document. */
export function readZipDirectory(bytes: Uint8Array): readonly ZipEntry[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  if (end === undefined) return undefined
  const count = view.getUint16(end + 10, true)
  if (count > MAX_ENTRIES) return undefined

  const entries: ZipEntry[] = []
  let at = view.getUint32(end + 16, true)
  for (let index = 0; index < count; index += 1) {
    if (at + ENTRY_SIZE > end || view.getUint32(at, true) !== ENTRY) return undefined
    const nameLength = view.getUint16(at + 28, true)
    const next = at + ENTRY_SIZE + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > end) return undefined
    entries.push({
      name: new TextDecoder().decode(bytes.subarray(at + ENTRY_SIZE, at + ENTRY_SIZE + nameLength)),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      unpacked: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    })
    at = next
  }
  return entries
}

/** The end record is at the very end, before an optional comment. */
function findEnd(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - END_SIZE - MAX_COMMENT)
  for (let at = view.byteLength - END_SIZE; at >= first; at -= 1) {
    if (view.getUint32(at, true) === END) return at
  }
  return undefined
}

const HEADER = 0x04034b50
const HEADER_SIZE = 30
const STORED = 0
const DEFLATED = 8

/** Unpacks one file; undefined if it differs from the directory, above all if it is larger. */
export function unpackEntry(bytes: Uint8Array, entry: ZipEntry): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { offset, packed, unpacked, method } = entry
  if (offset + HEADER_SIZE > bytes.length || view.getUint32(offset, true) !== HEADER) return undefined
  const from = offset + HEADER_SIZE + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
  if (from + packed > bytes.length) return undefined
  const data = bytes.subarray(from, from + packed)
  const whole = method === STORED ? data : method === DEFLATED ? inflate(data, unpacked) : undefined
  return whole?.length === unpacked ? whole : undefined
}

function inflate(data: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(size, 1) })
  } catch {
    return undefined
  }
}

/** Ten times the text of the longest books. */
const MAX_TEXT_BYTES = 100_000_000
const MAX_UNPACKED_BYTES = 400_000_000
/** Below this size the ratio is not checked: a small file is no bomb. */
const HARMLESS_BYTES = 10_000_000
const MAX_RATIO = 150

export type UnpackFailure = 'cut off' | 'locked' | 'absurd'

/** Unpacks the selected files of an archive. Sizes are checked before and during unpacking. */
export function unpackTexts(
  bytes: Uint8Array,
  isSelected: (name: string) => boolean,
): ReadonlyMap<string, Uint8Array> | UnpackFailure {
  const entries = readZipDirectory(bytes)
  if (!entries) return 'cut off'
  if (entries.some(({ isEncrypted }) => isEncrypted)) return 'locked'
  const selected = entries.filter(({ name }) => isSelected(name))
  if (isBomb(bytes.length, entries) || sumUnpackedSizes(selected) > MAX_TEXT_BYTES) return 'absurd'

  const files = new Map<string, Uint8Array>()
  for (const entry of selected) {
    const file = unpackEntry(bytes, entry)
    if (!file) return 'cut off'
    files.set(entry.name, file)
  }
  return files
}

function isBomb(size: number, entries: readonly ZipEntry[]): boolean {
  const unpacked = sumUnpackedSizes(entries)
  return unpacked > MAX_UNPACKED_BYTES || (unpacked > HARMLESS_BYTES && unpacked > size * MAX_RATIO)
}

const sumUnpackedSizes = (entries: readonly ZipEntry[]) =>
  entries.reduce((sum, { unpacked }) => sum + unpacked, 0)
