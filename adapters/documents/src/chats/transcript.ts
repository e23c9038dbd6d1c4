import type { Segment, UnreadableFile } from '@parley/knowledge'
import { type Reading, unreadable } from '../reading.ts'
import { dateOf, textOf } from './json-field.ts'
import { message } from './message.ts'

const SPEAKERS: ReadonlyMap<string | undefined, string> = new Map([
  ['user', 'Person'],
  ['assistant', 'Agent'],
])

/** A session of our own: a list of `{ role, text, at }`, with a `speaker` where it is known who the person is. */
export function readTranscript(text: string): Reading | UnreadableFile {
  try {
    return parleyTranscript(JSON.parse(text)) ?? unreadable('There are no messages in the transcript.')
  } catch {
    return unreadable('The transcript is not whole JSON.')
  }
}

export function parleyTranscript(file: unknown): Reading | undefined {
  if (!Array.isArray(file)) return undefined
  const isTranscript = file.some((said) => SPEAKERS.has(textOf(said, 'role')) && textOf(said, 'text'))
  return isTranscript ? { segments: messagesOf(file) } : undefined
}

function* messagesOf(file: readonly unknown[]): Generator<Segment> {
  for (const said of file) {
    const role = textOf(said, 'role')
    const speaker = (role === 'user' && textOf(said, 'speaker')) || SPEAKERS.get(role)
    const text = textOf(said, 'text')
    if (speaker && text) yield message(text, { speaker, date: dateOf(said, 'at') })
  }
}
