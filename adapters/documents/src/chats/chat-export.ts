import type { Segment, UnreadableFile } from '@parley/knowledge'
import { type Reading, unreadable } from '../reading.ts'
import { chatGptExport, claudeExport, parleyTranscript } from './assistant-exports.ts'
import { UNKNOWN, dateOf, fieldOf, listOf, message, textOf } from './message.ts'
import { slackExport } from './slack.ts'

/** `result.json` of one chat, or of all chats of a person. */
function telegramExport(file: unknown): Reading | undefined {
  const chats = [...listOf(fieldOf(file, 'chats'), 'list'), ...listOf(fieldOf(file, 'left_chats'), 'list')]
  if (chats.length > 0) return { segments: messagesOf(chats, 'named') }
  const messages = fieldOf(file, 'messages')
  if (!Array.isArray(messages) || Array.isArray(file)) return undefined
  return { title: textOf(file, 'name'), segments: messagesOf([file], 'alone') }
}

function* messagesOf(chats: readonly unknown[], kind: 'named' | 'alone'): Generator<Segment> {
  for (const chat of chats) {
    const heading = kind === 'named' ? textOf(chat, 'name') : undefined
    for (const said of listOf(chat, 'messages')) {
      if (textOf(said, 'type') !== 'message') continue
      const text = plainText(fieldOf(said, 'text'))
      const speaker = textOf(said, 'from') ?? UNKNOWN
      if (text) yield message(text, { speaker, date: dateOf(said, 'date'), heading })
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
  const file = parsed(text)
  if (file === undefined) return unreadable('The file is not complete JSON: export it again.')
  for (const kind of KINDS) {
    const reading = kind(file)
    if (reading) return { whenEmpty: 'There are no messages with text in the chat.', ...reading }
  }
  return unreadable(
    'The JSON is not a supported chat export (Telegram, Slack, ChatGPT, Claude): save its text as .txt.',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
