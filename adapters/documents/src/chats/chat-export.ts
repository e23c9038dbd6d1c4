import type { Segment, UnreadableFile } from '@parley/knowledge'
import { type OpenedDocument, toUnreadable } from '../document-reader.ts'
import { openChatGptExport, openClaudeExport, openParleyTranscript } from './assistant-exports.ts'
import {
  UNKNOWN_SPEAKER,
  readDateField,
  readField,
  readListField,
  parseExport,
  readTextField,
  toMessageSegment,
} from './export-fields.ts'
import { openSlackExport } from './slack.ts'

/** `result.json` of one chat, or of all chats of a person. */
function openTelegramExport(file: unknown): OpenedDocument | undefined {
  const chats = [
    ...readListField(readField(file, 'chats'), 'list'),
    ...readListField(readField(file, 'left_chats'), 'list'),
  ]
  if (chats.length > 0) return { segments: iterateTelegramMessages(chats, 'named') }
  const messages = readField(file, 'messages')
  if (!Array.isArray(messages) || Array.isArray(file)) return undefined
  return { title: readTextField(file, 'name'), segments: iterateTelegramMessages([file], 'alone') }
}

function* iterateTelegramMessages(chats: readonly unknown[], kind: 'named' | 'alone'): Generator<Segment> {
  for (const chat of chats) {
    const heading = kind === 'named' ? readTextField(chat, 'name') : undefined
    for (const entry of readListField(chat, 'messages')) {
      if (readTextField(entry, 'type') !== 'message') continue
      const text = toPlainText(readField(entry, 'text'))
      const speaker = readTextField(entry, 'from') ?? UNKNOWN_SPEAKER
      if (text) yield toMessageSegment(text, { speaker, date: readDateField(entry, 'date'), heading })
    }
  }
}

/** A text with links or formatting is a list of parts. */
function toPlainText(text: unknown): string {
  if (typeof text === 'string') return text
  if (!Array.isArray(text)) return ''
  return text.map((part) => (typeof part === 'string' ? part : (readTextField(part, 'text') ?? ''))).join('')
}

/** Each returns undefined for a file of another kind. */
const EXPORT_OPENERS: readonly ((file: unknown) => OpenedDocument | undefined)[] = [
  openTelegramExport,
  openChatGptExport,
  openClaudeExport,
  openSlackExport,
  openParleyTranscript,
]

export function readChatExport(text: string): OpenedDocument | UnreadableFile {
  const file = parseExport(text)
  if (file === undefined) return toUnreadable('The file is not complete JSON: export it again.')
  for (const kind of EXPORT_OPENERS) {
    const reading = kind(file)
    if (reading) return { whenEmpty: 'There are no messages with text in the chat.', ...reading }
  }
  return toUnreadable(
    'The JSON is not a supported chat export (Telegram, Slack, ChatGPT, Claude): save its text as .txt.',
  )
}
