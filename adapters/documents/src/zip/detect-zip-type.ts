import { isChatArchive } from '../chats/chat-archive.ts'
import { readZipDirectory, unpackEntry } from './unpack-zip.ts'

export const CHAT_ARCHIVE = 'application/vnd.parley.chat-archive+zip'

const TYPES_BY_PART: readonly (readonly [RegExp, string])[] = [
  // Some programs add a number.
  [/^word\/document\d*\.xml$/, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  [/^xl\/workbook\.xml$/, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  [/^ppt\/presentation\.xml$/, 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  [/^Index\/Document\.iwa$/, 'application/vnd.apple.pages'],
]

/** The type of an archive, by its entries. Unpacks only the few bytes in which some formats name themselves. */
export function detectZipType(bytes: Uint8Array): string {
  const entries = readZipDirectory(bytes) ?? []
  const known = TYPES_BY_PART.find(([part]) => entries.some(({ name }) => part.test(name)))
  if (known) return known[1]

  const own = entries.find(({ name, unpacked }) => name === 'mimetype' && unpacked <= 100)
  const type = own && new TextDecoder().decode(unpackEntry(bytes, own) ?? new Uint8Array()).trim()
  if (type && /^[a-z]+\/[a-z0-9.+-]+$/.test(type)) return type
  return isChatArchive(entries.map(({ name }) => name)) ? CHAT_ARCHIVE : 'application/zip'
}
