import type { Segment, UnreadableFile } from '@parley/knowledge'
import { type Reading, unreadable } from '../reading.ts'
import { chatGptExport, claudeExport, parleyTranscript } from './assistant-exports.ts'
import { UNKNOWN, dateOf, fieldOf, listOf, parseJson, textOf, toSegment } from './message.ts'
import { slackExport } from './slack.ts'

/** `result.json` of one chat, or of all chats of a person. */
function telegramExport(file: unknown): Reading | undefined {
  const chats = [...listOf(fieldOf(file, 'chats'), 'list'), ...listOf(fieldOf(file, 'left_chats'), 'list')]
  if (chats.length > 0) return { segments: telegramMessages(chats, 'named') }
  const messages = fieldOf(file, 'messages')
  if (!Array.isArray(messages) || Array.isArray(file)) return undefined
  return { title: textOf(file, 'name'), segments: telegramMessages([file], 'alone') }
}

function* telegramMessages(chats: readonly unknown[], kind: 'named' | 'alone'): Generator<Segment> {
  for (const chat of chats) {
    const heading = kind === 'named' ? textOf(chat, 'name') : undefined
    for (const entry of listOf(chat, 'messages')) {
      if (textOf(entry, 'type') !== 'message') continue
      const text = plainText(fieldOf(entry, 'text'))
      const speaker = textOf(entry, 'from') ?? UNKNOWN
      if (text) yield toSegment(text, { speaker, date: dateOf(entry, 'date'), heading })
    }
  }
}

/** A text with links or formatting is a list of parts. */
function plainText(text: unknown): string {
  if (typeof text === 'string') return text
  if (!Array.isArray(text)) return ''
  return text.map((part) => (typeof part === 'string' ? part : (textOf(part, 'text') ?? ''))).join('')
}

/** Each returns undefined for a file of another kind. */
const KINDS: readonly ((file: unknown) => Reading | undefined)[] = [
  telegramExport,
  chatGptExport,
  claudeExport,
  slackExport,
  parleyTranscript,
]

export function readChatExport(text: string): Reading | UnreadableFile {
  const file = parseJson(text)
  if (file === undefined) return unreadable('The file is not complete JSON: export it again.')
  for (const kind of KINDS) {
    const reading = kind(file)
    if (reading) return { whenEmpty: 'There are no messages with text in the chat.', ...reading }
  }
  return unreadable(
    'The JSON is not a supported chat export (Telegram, Slack, ChatGPT, Claude): save its text as .txt.',
  )
}
