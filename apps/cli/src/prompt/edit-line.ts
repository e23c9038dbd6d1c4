import { graphemeAfter, graphemeBefore } from '../render/text-width.ts'
import type { Key, KeyName } from './key.ts'

export interface LineState {
  readonly text: string
  /** A place in the text, in UTF-16 units, never within a character. */
  readonly cursor: number
  /** What was sent before, oldest first. */
  readonly history: readonly string[]
  /** Which entry of the history is shown; its length stands for the draft. */
  readonly place: number
  readonly draft: string
  /** Ctrl-C was pressed at an empty prompt, and nothing since. */
  readonly leaving: boolean
}

export type Effect =
  | { readonly kind: 'none' }
  | { readonly kind: 'send'; readonly text: string }
  | { readonly kind: 'leave' }
  | { readonly kind: 'clear-screen' }
  | { readonly kind: 'suspend' }

interface Step {
  readonly line: LineState
  readonly effect: Effect
}

export const emptyLine = (history: readonly string[]): LineState => ({
  text: '',
  cursor: 0,
  history,
  place: history.length,
  draft: '',
  leaving: false,
})

/** What a key does to the line. */
export function editLine(line: LineState, key: Key): Step {
  const calm = line.leaving && key.name !== 'interrupt' ? { ...line, leaving: false } : line
  return key.name === 'text' || key.name === 'paste'
    ? edited(insert(calm, key.text))
    : ACTIONS[key.name](calm)
}

const ACTIONS: Record<Exclude<KeyName, 'text' | 'paste'>, (line: LineState) => Step> = {
  enter,
  interrupt,
  newline: (line) => edited(insert(line, '\n')),
  left: (line) => edited(moveTo(line, graphemeBefore(line.text, line.cursor))),
  right: (line) => edited(moveTo(line, graphemeAfter(line.text, line.cursor))),
  'word-left': (line) => edited(moveTo(line, wordBefore(line))),
  'word-right': (line) => edited(moveTo(line, wordAfter(line))),
  home: (line) => edited(moveTo(line, lineStart(line))),
  end: (line) => edited(moveTo(line, lineEnd(line))),
  'delete-back': (line) => edited(remove(line, graphemeBefore(line.text, line.cursor), line.cursor)),
  delete: (line) => edited(remove(line, line.cursor, graphemeAfter(line.text, line.cursor))),
  'delete-word': (line) => edited(remove(line, wordBefore(line), line.cursor)),
  'cut-to-start': (line) => edited(remove(line, lineStart(line), line.cursor)),
  'cut-to-end': (line) => edited(remove(line, line.cursor, lineEnd(line))),
  up: (line) => edited(lineStart(line) === 0 ? recall(line, line.place - 1) : moveByLine(line, -1)),
  down: (line) =>
    edited(lineEnd(line) === line.text.length ? recall(line, line.place + 1) : moveByLine(line, 1)),
  'clear-screen': (line) => ({ line, effect: { kind: 'clear-screen' } }),
  suspend: (line) => ({ line, effect: { kind: 'suspend' } }),
  'end-of-input': (line) =>
    line.text === ''
      ? { line, effect: { kind: 'leave' } }
      : edited(remove(line, line.cursor, graphemeAfter(line.text, line.cursor))),
}

const edited = (line: LineState): Step => ({ line, effect: { kind: 'none' } })

/** A backslash before the cursor at the end goes on in a new line; nothing but space is not sent. */
function enter(line: LineState): Step {
  const { text, cursor, history } = line
  if (cursor === text.length && text.endsWith('\\')) {
    return edited(insert(remove(line, cursor - 1, cursor), '\n'))
  }
  if (text.trim() === '') return edited(emptyLine(history))
  const remembered = history.at(-1) === text ? history : [...history, text]
  return { line: emptyLine(remembered), effect: { kind: 'send', text } }
}

function interrupt(line: LineState): Step {
  if (line.text !== '') return edited(emptyLine(line.history))
  return line.leaving ? { line, effect: { kind: 'leave' } } : edited({ ...line, leaving: true })
}

function insert(line: LineState, added: string): LineState {
  const { text, cursor } = line
  const next = text.slice(0, cursor) + added + text.slice(cursor)
  return { ...line, text: next, cursor: cursor + added.length }
}

function remove(line: LineState, from: number, to: number): LineState {
  return { ...line, text: line.text.slice(0, from) + line.text.slice(to), cursor: from }
}

const moveTo = (line: LineState, cursor: number): LineState => ({ ...line, cursor })

const lineStart = ({ text, cursor }: LineState): number =>
  cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1

function lineEnd({ text, cursor }: LineState): number {
  const end = text.indexOf('\n', cursor)
  return end === -1 ? text.length : end
}

const isWord = (unit: string | undefined) => unit !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(unit)

function wordBefore({ text, cursor }: LineState): number {
  let place = cursor
  while (place > 0 && !isWord(text[place - 1])) place -= 1
  while (place > 0 && isWord(text[place - 1])) place -= 1
  return place
}

function wordAfter({ text, cursor }: LineState): number {
  let place = cursor
  while (place < text.length && !isWord(text[place])) place += 1
  while (place < text.length && isWord(text[place])) place += 1
  return place
}

/** To the line above or below, as far in as here, but never into the middle of a character. */
function moveByLine(line: LineState, by: 1 | -1): LineState {
  const { text } = line
  const column = line.cursor - lineStart(line)
  const start = by === 1 ? lineEnd(line) + 1 : lineStart(moveTo(line, lineStart(line) - 1))
  const end = lineEnd(moveTo(line, start))
  const wanted = Math.min(start + column, end)
  return moveTo(line, wanted === end ? end : graphemeBefore(text, graphemeAfter(text, wanted)))
}

/** Shows an entry of the history; the draft is kept for the way back. */
function recall(line: LineState, place: number): LineState {
  const { history } = line
  if (place < 0 || place > history.length) return line
  const draft = line.place === history.length ? line.text : line.draft
  const text = place === history.length ? draft : (history[place] ?? '')
  return { ...line, text, cursor: text.length, place, draft }
}
