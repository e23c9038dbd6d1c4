import type { Segment } from '@parley/knowledge'
import type { Reading } from '../reading.ts'
import { dateOf, fieldOf, listOf, textOf } from './json-field.ts'
import { message, UNKNOWN } from './message.ts'

/** `result.json` of one chat, or of all that a person has. */
export function telegramExport(file: unknown): Reading | undefined {
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

/** A text with links or bold words in it is a list of its parts. */
function plainText(text: unknown): string {
  if (typeof text === 'string') return text
  if (!Array.isArray(text)) return ''
  return text.map((part) => (typeof part === 'string' ? part : (textOf(part, 'text') ?? ''))).join('')
}
