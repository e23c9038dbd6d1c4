import type { Segment, UnreadableFile } from '@parley/knowledge'
import { type OpenedDocument, toUnreadable } from '../document-reader.ts'
import {
  readDateField,
  parseUnixSeconds,
  readField,
  readListField,
  parseExport,
  readTextField,
  toMessageSegment,
} from './export-fields.ts'

const CHATGPT_SPEAKERS: ReadonlyMap<string | undefined, string> = new Map([
  ['user', 'Person'],
  ['assistant', 'ChatGPT'],
])

/** `conversations.json`: each conversation is a tree of messages. */
export function openChatGptExport(file: unknown): OpenedDocument | undefined {
  const conversations = Array.isArray(file) ? file : [file]
  if (!conversations.some((conversation) => isTree(readField(conversation, 'mapping')))) return undefined
  return { segments: iterateChatGptMessages(conversations) }
}

const isTree = (mapping: unknown) =>
  typeof mapping === 'object' && mapping !== null && !Array.isArray(mapping)

function* iterateChatGptMessages(conversations: readonly unknown[]): Generator<Segment> {
  for (const conversation of conversations) {
    const heading = readTextField(conversation, 'title')
    for (const node of findVisiblePath(conversation)) {
      const entry = readField(node, 'message')
      const speaker = CHATGPT_SPEAKERS.get(readTextField(readField(entry, 'author'), 'role'))
      const text = readChatGptText(entry)
      if (!speaker || !text) continue
      yield toMessageSegment(text, {
        speaker,
        date: parseUnixSeconds(readField(entry, 'create_time')),
        heading,
      })
    }
  }
}

/** The path from the first message to the last one shown: a regenerated answer has siblings. */
function findVisiblePath(conversation: unknown): readonly unknown[] {
  const mapping = readField(conversation, 'mapping')
  const path: unknown[] = []
  const seen = new Set<string>()
  let id = readTextField(conversation, 'current_node') ?? findNewestLeaf(mapping)
  while (id !== undefined && !seen.has(id)) {
    seen.add(id)
    const node = readField(mapping, id)
    path.push(node)
    id = readTextField(node, 'parent')
  }
  return path.toReversed()
}

function findNewestLeaf(mapping: unknown): string | undefined {
  if (!isTree(mapping)) return undefined
  return Object.keys(mapping as object)
    .filter((id) => readListField(readField(mapping, id), 'children').length === 0)
    .at(-1)
}

function readChatGptText(entry: unknown): string {
  if (readField(readField(entry, 'metadata'), 'is_visually_hidden_from_conversation') === true) return ''
  const content = readField(entry, 'content')
  const kind = readTextField(content, 'content_type')
  if (kind !== 'text' && kind !== 'multimodal_text') return ''
  return readListField(content, 'parts')
    .map((part) => (typeof part === 'string' ? part : (readTextField(part, 'text') ?? '')))
    .filter(Boolean)
    .join('\n\n')
}

const CLAUDE_SPEAKERS: ReadonlyMap<string | undefined, string> = new Map([
  ['human', 'Person'],
  ['assistant', 'Claude'],
])

/** `conversations.json`: each conversation is a list of messages. */
export function openClaudeExport(file: unknown): OpenedDocument | undefined {
  const conversations = Array.isArray(file) ? file : [file]
  if (!conversations.some((conversation) => Array.isArray(readField(conversation, 'chat_messages'))))
    return undefined
  return { segments: iterateClaudeMessages(conversations) }
}

function* iterateClaudeMessages(conversations: readonly unknown[]): Generator<Segment> {
  for (const conversation of conversations) {
    const heading = readTextField(conversation, 'name')
    for (const entry of readListField(conversation, 'chat_messages')) {
      const speaker = CLAUDE_SPEAKERS.get(readTextField(entry, 'sender'))
      const text = readClaudeText(entry)
      if (speaker && text)
        yield toMessageSegment(text, { speaker, date: readDateField(entry, 'created_at'), heading })
    }
  }
}

/** Only text parts; thoughts and tool calls are left out. */
function readClaudeText(entry: unknown): string {
  const parts = readListField(entry, 'content')
    .filter((part) => readTextField(part, 'type') === 'text')
    .map((part) => readTextField(part, 'text') ?? '')
    .filter(Boolean)
  return parts.length > 0 ? parts.join('\n\n') : (readTextField(entry, 'text') ?? '')
}

const TRANSCRIPT_SPEAKERS: ReadonlyMap<string | undefined, string> = new Map([
  ['user', 'Person'],
  ['assistant', 'Agent'],
])

/** A Parley session: a list of `{ role, text, at }`, with a `speaker` if the person is known. */
export function readTranscript(text: string): OpenedDocument | UnreadableFile {
  const file = parseExport(text)
  if (file === undefined) return toUnreadable('The transcript is not complete JSON.')
  return openParleyTranscript(file) ?? toUnreadable('There are no messages in the transcript.')
}

export function openParleyTranscript(file: unknown): OpenedDocument | undefined {
  if (!Array.isArray(file)) return undefined
  const isTranscript = file.some(
    (entry) => TRANSCRIPT_SPEAKERS.has(readTextField(entry, 'role')) && readTextField(entry, 'text'),
  )
  return isTranscript ? { segments: iterateTranscriptMessages(file) } : undefined
}

function* iterateTranscriptMessages(file: readonly unknown[]): Generator<Segment> {
  for (const entry of file) {
    const role = readTextField(entry, 'role')
    const speaker = (role === 'user' && readTextField(entry, 'speaker')) || TRANSCRIPT_SPEAKERS.get(role)
    const text = readTextField(entry, 'text')
    if (speaker && text) yield toMessageSegment(text, { speaker, date: readDateField(entry, 'at') })
  }
}
