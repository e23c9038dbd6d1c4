import { graphemeAfter, graphemeBefore } from '../render/text-width.ts'

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
  /** What was cut last. */
  readonly cut: string
  /** How the text stood before each change, oldest first. */
  readonly changes: readonly Change[]
  /** The last change was a letter, and the next one goes with it. */
  readonly typing: boolean
}

interface Change {
  readonly text: string
  readonly cursor: number
}

export const emptyLine = (history: readonly string[], cut = ''): LineState => ({
  text: '',
  cursor: 0,
  history,
  place: history.length,
  draft: '',
  leaving: false,
  cut,
  changes: [],
  typing: false,
})

export const insert = (line: LineState, added: string): LineState =>
  replace(line, line.cursor, line.cursor, added)

export const remove = (line: LineState, from: number, to: number): LineState => replace(line, from, to, '')

export function replace(line: LineState, from: number, to: number, added: string): LineState {
  const text = line.text.slice(0, from) + added + line.text.slice(to)
  return { ...line, text, cursor: from + added.length }
}

export const moveTo = (line: LineState, cursor: number): LineState => ({ ...line, cursor })

export const lineStart = ({ text, cursor }: LineState): number =>
  cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1

export function lineEnd({ text, cursor }: LineState): number {
  const end = text.indexOf('\n', cursor)
  return end === -1 ? text.length : end
}

const isWord = (unit: string | undefined) => unit !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(unit)

export function wordBefore({ text, cursor }: LineState): number {
  let place = cursor
  while (place > 0 && !isWord(text[place - 1])) place -= 1
  while (place > 0 && isWord(text[place - 1])) place -= 1
  return place
}

export function wordAfter({ text, cursor }: LineState): number {
  let place = cursor
  while (place < text.length && !isWord(text[place])) place += 1
  while (place < text.length && isWord(text[place])) place += 1
  return place
}

/** To the line above or below, as far in as here, but never into the middle of a character. */
export function moveByLine(line: LineState, by: 1 | -1): LineState {
  const { text } = line
  const column = line.cursor - lineStart(line)
  const start = by === 1 ? lineEnd(line) + 1 : lineStart(moveTo(line, lineStart(line) - 1))
  const end = lineEnd(moveTo(line, start))
  const wanted = Math.min(start + column, end)
  return moveTo(line, wanted === end ? end : graphemeBefore(text, graphemeAfter(text, wanted)))
}

/** Shows an entry of the history; the draft is kept for the way back. */
export function recall(line: LineState, place: number): LineState {
  const { history } = line
  if (place < 0 || place > history.length) return line
  const draft = line.place === history.length ? line.text : line.draft
  const text = place === history.length ? draft : (history[place] ?? '')
  return { ...line, text, cursor: text.length, place, draft }
}

/** Puts what was sent in earlier times before what is known of this one. */
export const withEarlier = (line: LineState, earlier: readonly string[]): LineState => ({
  ...line,
  history: [...earlier, ...line.history],
  place: line.place + earlier.length,
})
