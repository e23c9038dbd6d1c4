import type { Json, ToolCall } from '@parley/contracts'
import { visibleText } from '../ui/visible-text.ts'

const LONGEST = 80

/** What a call is about, in one short line: the path, the command, the address. Empty where its input says nothing. */
export function callSubject({ input }: ToolCall): string {
  const line = visibleText(subjectOf(input).replace(/\s+/g, ' ').trim())
  // A pair that is cut in two is no character.
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line
}

/** Names of inputs that together tell what a call is about. */
const TELLING: readonly (readonly string[])[] = [
  ['server', 'tool'],
  ['pattern', 'path'],
  ['command'],
  ['method', 'url'],
  ['query'],
  ['message'],
]

function subjectOf(input: Json): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return wordsOf(input)
  const told = [...TELLING, Object.keys(input).slice(0, 1)].map((names) =>
    names.map((name) => wordsOf(input[name])).join(' '),
  )
  return told.find((words) => words.trim() !== '') ?? ''
}

function wordsOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
