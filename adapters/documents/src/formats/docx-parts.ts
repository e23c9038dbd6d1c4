import type { UnreadableFile } from '@parley/knowledge'
import { unreadable } from '../reading.ts'
import { readZipDirectory, type ZipEntry } from '../zip/read-zip-directory.ts'
import { unpackEntry } from '../zip/unpack-entry.ts'

/** The text of the longest books is a tenth of this. */
const MAX_XML_BYTES = 100_000_000
const MAX_UNPACKED_BYTES = 400_000_000
/** Up to here no ratio is looked at: what is small is no bomb. */
const SURELY_FINE_BYTES = 10_000_000
const MAX_RATIO = 150

const ABSURD =
  'The Word document unpacks to far more than its size allows for: open it in Word or LibreOffice and save it again as .docx.'
const CUT_OFF =
  'The Word document is cut off or broken: fetch it again, or open it in Word or LibreOffice and save it again as .docx.'

/** The parts of a Word document that may hold text. What they unpack to is bounded before, and held to while, it is done. */
export function docxParts(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | UnreadableFile {
  const entries = readZipDirectory(bytes)
  if (!entries) return unreadable(CUT_OFF)
  if (entries.some(({ isEncrypted }) => isEncrypted)) {
    return unreadable('The Word document is locked with a password: save a copy without one.')
  }
  const texts = entries.filter(({ name }) => /\.(xml|rels)$/i.test(name))
  if (isAbsurd(bytes.length, entries) || unpackedSize(texts) > MAX_XML_BYTES) return unreadable(ABSURD)

  const parts = new Map<string, Uint8Array>()
  for (const entry of texts) {
    const part = unpackEntry(bytes, entry)
    if (!part) return unreadable(CUT_OFF)
    parts.set(entry.name, part)
  }
  return parts
}

function isAbsurd(size: number, entries: readonly ZipEntry[]): boolean {
  const unpacked = unpackedSize(entries)
  return unpacked > MAX_UNPACKED_BYTES || (unpacked > SURELY_FINE_BYTES && unpacked > size * MAX_RATIO)
}

const unpackedSize = (entries: readonly ZipEntry[]) =>
  entries.reduce((sum, { unpacked }) => sum + unpacked, 0)
