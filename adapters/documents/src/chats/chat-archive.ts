import type { Segment, UnreadableFile } from '@parley/knowledge'
import { type OpenedDocument, toUnreadable } from '../document-reader.ts'
import { cleanText, decodeDocumentText } from '../text/decode-document-text.ts'
import { type UnpackFailure, unpackTexts } from '../zip/unpack-zip.ts'
import { readChatExport } from './chat-export.ts'
import { parseExport } from './export-fields.ts'
import { iterateSlackMessages, readSlackPeople } from './slack.ts'
import { isWhatsApp, iterateWhatsAppMessages } from './whatsapp.ts'

/** The name of the chat file in each kind of archive. */
const CHAT_FILE_NAMES = {
  whatsapp: /^(?:_chat|WhatsApp[^/]{1,200})\.txt$/i,
  assistant: /^(?:[^/]{1,200}\/)?conversations\.json$/,
  slack: /^users\.json$/,
} as const

type ChatArchiveKind = keyof typeof CHAT_FILE_NAMES

/** Whether an archive is a chat export, by its file names. */
export const isChatArchive = (names: readonly string[]): boolean => detectKind(names) !== undefined

/** Reads an export archive of WhatsApp, Slack, ChatGPT or Claude. */
export function readChatArchive(bytes: Uint8Array): OpenedDocument | UnreadableFile {
  const files = unpackTexts(bytes, isChatFile)
  if (typeof files === 'string') return toUnreadable(REASONS[files])
  const kind = detectKind([...files.keys()])
  return kind === undefined ? toUnreadable(NO_CHAT) : READERS[kind](files)
}

type ArchiveFiles = ReadonlyMap<string, Uint8Array>

const NO_CHAT = 'There is no chat in the archive: unpack it and add the files in it.'

const REASONS: Record<UnpackFailure, string> = {
  absurd: 'The archive unpacks to far more than its size allows for: unpack it and add the files in it.',
  'cut off': 'The archive is incomplete or broken: export the chat again.',
  locked: 'The archive is locked with a password: unpack it and add the files in it.',
}

const DAY_OF_CHANNEL = /^(?<channel>[^/]{1,200})\/\d{4}-\d{2}-\d{2}\.json$/

const isChatFile = (name: string): boolean =>
  DAY_OF_CHANNEL.test(name) || Object.values(CHAT_FILE_NAMES).some((kind) => kind.test(name))

/** Two candidates, such as two WhatsApp chats, are ambiguous. */
function detectKind(names: readonly string[]): ChatArchiveKind | undefined {
  const hasOne = (kind: ChatArchiveKind) =>
    names.filter((name) => CHAT_FILE_NAMES[kind].test(name)).length === 1
  if (hasOne('whatsapp')) return 'whatsapp'
  if (hasOne('assistant')) return 'assistant'
  return hasOne('slack') && names.some((name) => DAY_OF_CHANNEL.test(name)) ? 'slack' : undefined
}

const READERS: Record<ChatArchiveKind, (files: ArchiveFiles) => OpenedDocument | UnreadableFile> = {
  whatsapp: (files) => {
    const text = cleanText(readArchiveText(files, CHAT_FILE_NAMES.whatsapp) ?? '')
    return isWhatsApp(text) ? { segments: iterateWhatsAppMessages(text) } : toUnreadable(NO_CHAT)
  },
  assistant: (files) => readChatExport(readArchiveText(files, CHAT_FILE_NAMES.assistant) ?? ''),
  slack: (files) => ({
    segments: iterateSlackDays(files),
    whenEmpty: 'There are no messages with text in the chat.',
  }),
}

function readArchiveText(files: ArchiveFiles, name: RegExp): string | undefined {
  const [, bytes] = [...files].find(([path]) => name.test(path)) ?? []
  return bytes && decodeDocumentText(bytes)
}

function* iterateSlackDays(files: ArchiveFiles): Generator<Segment> {
  const people = readSlackPeople(parseExport(readArchiveText(files, CHAT_FILE_NAMES.slack) ?? ''))
  for (const [name, bytes] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const channel = DAY_OF_CHANNEL.exec(name)?.groups?.['channel']
    // A broken day does not affect the others.
    const day = channel === undefined ? undefined : parseExport(decodeDocumentText(bytes) ?? '')
    if (Array.isArray(day)) yield* iterateSlackMessages(day, channel, people)
  }
}
