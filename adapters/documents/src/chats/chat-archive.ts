import type { Segment, UnreadableFile } from '@parley/knowledge'
import { type Reading, unreadable } from '../reading.ts'
import { cleanText, decodeText } from '../text/decode-text.ts'
import { type UnpackFailure, unpackTexts } from '../zip/unpack-zip.ts'
import { readChatExport } from './chat-export.ts'
import { parseJson } from './message.ts'
import { slackMessages, slackPeople } from './slack.ts'
import { isWhatsApp, whatsAppMessages } from './whatsapp.ts'

/** The name of the chat file in each kind of archive. */
const KINDS = {
  whatsapp: /^(?:_chat|WhatsApp[^/]{1,200})\.txt$/i,
  assistant: /^(?:[^/]{1,200}\/)?conversations\.json$/,
  slack: /^users\.json$/,
} as const

type Kind = keyof typeof KINDS

/** Whether an archive is a chat export, by its file names. */
export const isChatArchive = (names: readonly string[]): boolean => kindOf(names) !== undefined

/** Reads an export archive of WhatsApp, Slack, ChatGPT or Claude. */
export function readChatArchive(bytes: Uint8Array): Reading | UnreadableFile {
  const files = unpackTexts(bytes, isText)
  if (typeof files === 'string') return unreadable(REASONS[files])
  const kind = kindOf([...files.keys()])
  return kind === undefined ? unreadable(NO_CHAT) : READERS[kind](files)
}

type Files = ReadonlyMap<string, Uint8Array>

const NO_CHAT = 'There is no chat in the archive: unpack it and add the files in it.'

const REASONS: Record<UnpackFailure, string> = {
  absurd: 'The archive unpacks to far more than its size allows for: unpack it and add the files in it.',
  'cut off': 'The archive is incomplete or broken: export the chat again.',
  locked: 'The archive is locked with a password: unpack it and add the files in it.',
}

const DAY_OF_CHANNEL = /^(?<channel>[^/]{1,200})\/\d{4}-\d{2}-\d{2}\.json$/

const isText = (name: string): boolean =>
  DAY_OF_CHANNEL.test(name) || Object.values(KINDS).some((kind) => kind.test(name))

/** Two candidates, such as two WhatsApp chats, are ambiguous. */
function kindOf(names: readonly string[]): Kind | undefined {
  const hasOne = (kind: Kind) => names.filter((name) => KINDS[kind].test(name)).length === 1
  if (hasOne('whatsapp')) return 'whatsapp'
  if (hasOne('assistant')) return 'assistant'
  return hasOne('slack') && names.some((name) => DAY_OF_CHANNEL.test(name)) ? 'slack' : undefined
}

const READERS: Record<Kind, (files: Files) => Reading | UnreadableFile> = {
  whatsapp: (files) => {
    const text = cleanText(textOf(files, KINDS.whatsapp) ?? '')
    return isWhatsApp(text) ? { segments: whatsAppMessages(text) } : unreadable(NO_CHAT)
  },
  assistant: (files) => readChatExport(textOf(files, KINDS.assistant) ?? ''),
  slack: (files) => ({
    segments: slackDays(files),
    whenEmpty: 'There are no messages with text in the chat.',
  }),
}

function textOf(files: Files, name: RegExp): string | undefined {
  const [, bytes] = [...files].find(([path]) => name.test(path)) ?? []
  return bytes && decodeText(bytes)
}

function* slackDays(files: Files): Generator<Segment> {
  const people = slackPeople(parseJson(textOf(files, KINDS.slack) ?? ''))
  for (const [name, bytes] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const channel = DAY_OF_CHANNEL.exec(name)?.groups?.['channel']
    // A broken day does not affect the others.
    const day = channel === undefined ? undefined : parseJson(decodeText(bytes) ?? '')
    if (Array.isArray(day)) yield* slackMessages(day, channel, people)
  }
}
