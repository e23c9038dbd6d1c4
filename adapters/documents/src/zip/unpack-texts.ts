import { readZipDirectory, type ZipEntry } from './read-zip-directory.ts'
import { unpackEntry } from './unpack-entry.ts'

/** The text of the longest books is a tenth of this. */
const MAX_TEXT_BYTES = 100_000_000
const MAX_UNPACKED_BYTES = 400_000_000
/** Up to here no ratio is looked at: what is small is no bomb. */
const SURELY_FINE_BYTES = 10_000_000
const MAX_RATIO = 150

export type WhyNotUnpacked = 'cut off' | 'locked' | 'absurd'

/** The files of an archive that are wanted. What they unpack to is bounded before, and held to while, it is done. */
export function unpackTexts(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): ReadonlyMap<string, Uint8Array> | WhyNotUnpacked {
  const entries = readZipDirectory(bytes)
  if (!entries) return 'cut off'
  if (entries.some(({ isEncrypted }) => isEncrypted)) return 'locked'
  const wanted = entries.filter(({ name }) => isWanted(name))
  if (isAbsurd(bytes.length, entries) || unpackedSize(wanted) > MAX_TEXT_BYTES) return 'absurd'

  const files = new Map<string, Uint8Array>()
  for (const entry of wanted) {
    const file = unpackEntry(bytes, entry)
    if (!file) return 'cut off'
    files.set(entry.name, file)
  }
  return files
}

function isAbsurd(size: number, entries: readonly ZipEntry[]): boolean {
  const unpacked = unpackedSize(entries)
  return unpacked > MAX_UNPACKED_BYTES || (unpacked > SURELY_FINE_BYTES && unpacked > size * MAX_RATIO)
}

const unpackedSize = (entries: readonly ZipEntry[]) =>
  entries.reduce((sum, { unpacked }) => sum + unpacked, 0)
