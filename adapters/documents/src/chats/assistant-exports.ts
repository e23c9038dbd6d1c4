import type { Segment, UnreadableFile } from '@parley/knowledge'
import { type Reading, unreadable } from '../reading.ts'
import { dateOf, dateOfSeconds, fieldOf, listOf, parseJson, textOf, toSegment } from './message.ts'

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
    for (const node of visiblePath(conversation)) {
      const entry = fieldOf(node, 'message')
      const speaker = CHATGPT_SPEAKERS.get(textOf(fieldOf(entry, 'author'), 'role'))
      const text = chatGptText(entry)
      if (!speaker || !text) continue
      yield toSegment(text, { speaker, date: dateOfSeconds(fieldOf(entry, 'create_time')), heading })
    }
  }
}

/** The path from the first message to the last one shown: a regenerated answer has siblings. */
function visiblePath(conversation: unknown): readonly unknown[] {
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

function chatGptText(entry: unknown): string {
  if (fieldOf(fieldOf(entry, 'metadata'), 'is_visually_hidden_from_conversation') === true) return ''
  const content = fieldOf(entry, 'content')
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
    for (const entry of listOf(conversation, 'chat_messages')) {
      const speaker = CLAUDE_SPEAKERS.get(textOf(entry, 'sender'))
      const text = claudeText(entry)
      if (speaker && text) yield toSegment(text, { speaker, date: dateOf(entry, 'created_at'), heading })
    }
  }
}

/** Only text parts; thoughts and tool calls are left out. */
function claudeText(entry: unknown): string {
  const parts = listOf(entry, 'content')
    .filter((part) => textOf(part, 'type') === 'text')
    .map((part) => textOf(part, 'text') ?? '')
    .filter(Boolean)
  return parts.length > 0 ? parts.join('\n\n') : (textOf(entry, 'text') ?? '')
}

const TRANSCRIPT_SPEAKERS: ReadonlyMap<string | undefined, string> = new Map([
  ['user', 'Person'],
  ['assistant', 'Agent'],
])

/** A Parley session: a list of `{ role, text, at }`, with a `speaker` if the person is known. */
export function readTranscript(text: string): Reading | UnreadableFile {
  const file = parseJson(text)
  if (file === undefined) return unreadable('The transcript is not complete JSON.')
  return parleyTranscript(file) ?? unreadable('There are no messages in the transcript.')
}

export function parleyTranscript(file: unknown): Reading | undefined {
  if (!Array.isArray(file)) return undefined
  const isTranscript = file.some(
    (entry) => TRANSCRIPT_SPEAKERS.has(textOf(entry, 'role')) && textOf(entry, 'text'),
  )
  return isTranscript ? { segments: transcriptMessages(file) } : undefined
}

function* transcriptMessages(file: readonly unknown[]): Generator<Segment> {
  for (const entry of file) {
    const role = textOf(entry, 'role')
    const speaker = (role === 'user' && textOf(entry, 'speaker')) || TRANSCRIPT_SPEAKERS.get(role)
    const text = textOf(entry, 'text')
    if (speaker && text) yield toSegment(text, { speaker, date: dateOf(entry, 'at') })
  }
}
