import type { Segment } from '@parley/knowledge'
import type { Reading } from '../reading.ts'
import { dateOfSeconds, fieldOf, listOf, textOf } from './json-field.ts'
import { message } from './message.ts'

const SPEAKERS: ReadonlyMap<string | undefined, string> = new Map([
  ['user', 'Person'],
  ['assistant', 'ChatGPT'],
])

/** `conversations.json`: each conversation is a tree of messages. */
export function chatGptExport(file: unknown): Reading | undefined {
  const conversations = Array.isArray(file) ? file : [file]
  if (!conversations.some((conversation) => isTree(fieldOf(conversation, 'mapping')))) return undefined
  return { segments: messagesOf(conversations) }
}

const isTree = (mapping: unknown) =>
  typeof mapping === 'object' && mapping !== null && !Array.isArray(mapping)

function* messagesOf(conversations: readonly unknown[]): Generator<Segment> {
  for (const conversation of conversations) {
    const heading = textOf(conversation, 'title')
    for (const node of pathOf(conversation)) {
      const said = fieldOf(node, 'message')
      const speaker = SPEAKERS.get(textOf(fieldOf(said, 'author'), 'role'))
      const text = visibleText(said)
      if (!speaker || !text) continue
      yield message(text, { speaker, date: dateOfSeconds(fieldOf(said, 'create_time')), heading })
    }
  }
}

/** From the first message to the one that the person saw last: an answer that was made anew has brothers. */
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
