import type { Segment } from '@parley/knowledge'
import type { Reading } from '../reading.ts'
import { dateOf, fieldOf, listOf, textOf } from './json-field.ts'
import { message } from './message.ts'

const SPEAKERS: ReadonlyMap<string | undefined, string> = new Map([
  ['human', 'Person'],
  ['assistant', 'Claude'],
])

/** `conversations.json`: each conversation is a list of messages. */
export function claudeExport(file: unknown): Reading | undefined {
  const conversations = Array.isArray(file) ? file : [file]
  if (!conversations.some((conversation) => Array.isArray(fieldOf(conversation, 'chat_messages'))))
    return undefined
  return { segments: messagesOf(conversations) }
}

function* messagesOf(conversations: readonly unknown[]): Generator<Segment> {
  for (const conversation of conversations) {
    const heading = textOf(conversation, 'name')
    for (const said of listOf(conversation, 'chat_messages')) {
      const speaker = SPEAKERS.get(textOf(said, 'sender'))
      const text = spokenText(said)
      if (speaker && text) yield message(text, { speaker, date: dateOf(said, 'created_at'), heading })
    }
  }
}

/** The parts that are text; thoughts and calls of tools are others. */
function spokenText(said: unknown): string {
  const parts = listOf(said, 'content')
    .filter((part) => textOf(part, 'type') === 'text')
    .map((part) => textOf(part, 'text') ?? '')
    .filter(Boolean)
  return parts.length > 0 ? parts.join('\n\n') : (textOf(said, 'text') ?? '')
}
