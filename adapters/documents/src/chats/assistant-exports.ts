import type { Segment, UnreadableFile } from '@parley/knowledge'
import { type Reading, unreadable } from '../reading.ts'
import { dateOf, dateOfSeconds, fieldOf, listOf, message, textOf } from './message.ts'

const CHATGPT_SPEAKERS: ReadonlyMap<string | undefined, string> = new Map([
  ['user', 'Person'],
  ['assistant', 'ChatGPT'],
])

/** `conversations.json`: each conversation is a tree of messages. */
export function chatGptExport(file: unknown): Reading | undefined {
  const conversations = Array.isArray(file) ? file : [file]
  if (!conversations.some((conversation) => isTree(fieldOf(conversation, 'mapping')))) return undefined
  return { segments: chatGptMessages(conversations) }
}

const isTree = (mapping: unknown) =>
  typeof mapping === 'object' && mapping !== null && !Array.isArray(mapping)

function* chatGptMessages(conversations: readonly unknown[]): Generator<Segment> {
  for (const conversation of conversations) {
    const heading = textOf(conversation, 'title')
    for (const node of pathOf(conversation)) {
      const said = fieldOf(node, 'message')
      const speaker = CHATGPT_SPEAKERS.get(textOf(fieldOf(said, 'author'), 'role'))
      const text = visibleText(said)
      if (!speaker || !text) continue
      yield message(text, { speaker, date: dateOfSeconds(fieldOf(said, 'create_time')), heading })
    }
  }
}

/** The path from the first message to the last one shown: a regenerated answer has siblings. */
function pathOf(conversation: unknown): readonly unknown[] {
  const mapping = fieldOf(conversation, 'mapping')
  const path: unknown[] = []
  const seen = new Set<string>()
  let id = textOf(conversation, 'current_node') ?? newestLeaf(mapping)
  while (id !== undefined && !seen.has(id)) {
    seen.add(id)
    const node = fieldOf(mapping, id)
    path.push(node)
    id = textOf(node, 'parent')
  }
  return path.toReversed()
}

function newestLeaf(mapping: unknown): string | undefined {
  if (!isTree(mapping)) return undefined
  return Object.keys(mapping as object)
    .filter((id) => listOf(fieldOf(mapping, id), 'children').length === 0)
    .at(-1)
}

function visibleText(said: unknown): string {
  if (fieldOf(fieldOf(said, 'metadata'), 'is_visually_hidden_from_conversation') === true) return ''
  const content = fieldOf(said, 'content')
  const kind = textOf(content, 'content_type')
  if (kind !== 'text' && kind !== 'multimodal_text') return ''
  return listOf(content, 'parts')
    .map((part) => (typeof part === 'string' ? part : (textOf(part, 'text') ?? '')))
    .filter(Boolean)
    .join('\n\n')
}

const CLAUDE_SPEAKERS: ReadonlyMap<string | undefined, string> = new Map([
  ['human', 'Person'],
  ['assistant', 'Claude'],
])

/** `conversations.json`: each conversation is a list of messages. */
export function claudeExport(file: unknown): Reading | undefined {
  const conversations = Array.isArray(file) ? file : [file]
  if (!conversations.some((conversation) => Array.isArray(fieldOf(conversation, 'chat_messages'))))
    return undefined
  return { segments: claudeMessages(conversations) }
}

function* claudeMessages(conversations: readonly unknown[]): Generator<Segment> {
  for (const conversation of conversations) {
    const heading = textOf(conversation, 'name')
    for (const said of listOf(conversation, 'chat_messages')) {
      const speaker = CLAUDE_SPEAKERS.get(textOf(said, 'sender'))
      const text = spokenText(said)
      if (speaker && text) yield message(text, { speaker, date: dateOf(said, 'created_at'), heading })
    }
  }
}

/** Only text parts; thoughts and tool calls are left out. */
function spokenText(said: unknown): string {
  const parts = listOf(said, 'content')
    .filter((part) => textOf(part, 'type') === 'text')
    .map((part) => textOf(part, 'text') ?? '')
    .filter(Boolean)
  return parts.length > 0 ? parts.join('\n\n') : (textOf(said, 'text') ?? '')
}

const TRANSCRIPT_SPEAKERS: ReadonlyMap<string | undefined, string> = new Map([
  ['user', 'Person'],
  ['assistant', 'Agent'],
])

/** A Parley session: a list of `{ role, text, at }`, with a `speaker` if the person is known. */
export function readTranscript(text: string): Reading | UnreadableFile {
  try {
    return parleyTranscript(JSON.parse(text)) ?? unreadable('There are no messages in the transcript.')
  } catch {
    return unreadable('The transcript is not complete JSON.')
  }
}

export function parleyTranscript(file: unknown): Reading | undefined {
  if (!Array.isArray(file)) return undefined
  const isTranscript = file.some(
    (said) => TRANSCRIPT_SPEAKERS.has(textOf(said, 'role')) && textOf(said, 'text'),
  )
  return isTranscript ? { segments: transcriptMessages(file) } : undefined
}

function* transcriptMessages(file: readonly unknown[]): Generator<Segment> {
  for (const said of file) {
    const role = textOf(said, 'role')
    const speaker = (role === 'user' && textOf(said, 'speaker')) || TRANSCRIPT_SPEAKERS.get(role)
    const text = textOf(said, 'text')
    if (speaker && text) yield message(text, { speaker, date: dateOf(said, 'at') })
  }
}
