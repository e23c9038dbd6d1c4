import { findGraphemeEnd, findGraphemeStart } from '../render/text.ts'
import type { Key, NamedKey } from './raw-terminal.ts'

export interface LineState {
  readonly text: string
  /** A position in UTF-16 units, never inside a character. */
  readonly cursor: number
  /** Messages sent before, oldest first. */
  readonly history: readonly string[]
  /** The history entry shown; its length means the draft. */
  readonly historyIndex: number
  readonly draft: string
  /** Ctrl-C was the last key, at an empty prompt. */
  readonly leaving: boolean
  readonly cut: string
  /** The text before each change, oldest first. */
  readonly changes: readonly PastText[]
  /** The last change was a letter, so the next one joins it. */
  readonly typing: boolean
}

interface PastText {
  readonly text: string
  readonly cursor: number
}

export const createEmptyLine = (history: readonly string[], cut = ''): LineState => ({
  text: '',
  cursor: 0,
  history,
  historyIndex: history.length,
  draft: '',
  leaving: false,
  cut,
  changes: [],
  typing: false,
})

const insert = (line: LineState, added: string): LineState => replace(line, line.cursor, line.cursor, added)

const remove = (line: LineState, from: number, to: number): LineState => replace(line, from, to, '')

export function replace(line: LineState, from: number, to: number, added: string): LineState {
  const text = line.text.slice(0, from) + added + line.text.slice(to)
  return { ...line, text, cursor: from + added.length }
}

const moveTo = (line: LineState, cursor: number): LineState => ({ ...line, cursor })

const findLineStart = ({ text, cursor }: LineState): number =>
  cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1

function findLineEnd({ text, cursor }: LineState): number {
  const end = text.indexOf('\n', cursor)
  return end === -1 ? text.length : end
}

const isWord = (unit: string | undefined) => unit !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(unit)

function findWordStart({ text, cursor }: LineState): number {
  let index = cursor
  while (index > 0 && !isWord(text[index - 1])) index -= 1
  while (index > 0 && isWord(text[index - 1])) index -= 1
  return index
}

function findWordEnd({ text, cursor }: LineState): number {
  let index = cursor
  while (index < text.length && !isWord(text[index])) index += 1
  while (index < text.length && isWord(text[index])) index += 1
  return index
}

/** Moves a line up or down in the same column, never into a character. */
function moveByLine(line: LineState, by: 1 | -1): LineState {
  const { text } = line
  const column = line.cursor - findLineStart(line)
  const start = by === 1 ? findLineEnd(line) + 1 : findLineStart(moveTo(line, findLineStart(line) - 1))
  const end = findLineEnd(moveTo(line, start))
  const target = Math.min(start + column, end)
  return moveTo(line, target === end ? end : findGraphemeStart(text, findGraphemeEnd(text, target)))
}

/** Shows a history entry; the draft is kept. */
function recall(line: LineState, historyIndex: number): LineState {
  const { history } = line
  if (historyIndex < 0 || historyIndex > history.length) return line
  const draft = line.historyIndex === history.length ? line.text : line.draft
  const text = historyIndex === history.length ? draft : (history[historyIndex] ?? '')
  return { ...line, text, cursor: text.length, historyIndex, draft }
}

export const addEarlierMessages = (line: LineState, earlier: readonly string[]): LineState => ({
  ...line,
  history: [...earlier, ...line.history],
  historyIndex: line.historyIndex + earlier.length,
})

export type LineEffect =
  | { readonly kind: 'none' }
  | { readonly kind: 'send'; readonly text: string }
  | { readonly kind: 'leave' | 'clear-screen' | 'suspend' | 'complete' | 'search' | 'open-editor' }

interface LineStep {
  readonly line: LineState
  readonly effect: LineEffect
}

export function editLine(line: LineState, key: Key): LineStep {
  const calm = line.leaving && key.name !== 'interrupt' ? { ...line, leaving: false } : line
  const isText = key.name === 'text' || key.name === 'paste'
  const step = isText ? changeOnly(insert(calm, key.text)) : ACTIONS[key.name](calm)
  if (key.name === 'undo') return step
  const typing = key.name === 'text' && key.text !== ' '
  const isContinued = line.typing && typing
  const isChange = step.line.text !== line.text && step.effect.kind === 'none' && !isContinued
  const { text, cursor } = line
  const changes = isChange ? [...step.line.changes, { text, cursor }].slice(-MAX_CHANGES) : step.line.changes
  return { ...step, line: { ...step.line, typing, changes } }
}

const MAX_CHANGES = 100

const ACTIONS: Record<NamedKey, (line: LineState) => LineStep> = {
  enter,
  interrupt: clearOrLeave,
  newline: (line) => changeOnly(insert(line, '\n')),
  left: (line) => changeOnly(moveTo(line, findGraphemeStart(line.text, line.cursor))),
  right: (line) => changeOnly(moveTo(line, findGraphemeEnd(line.text, line.cursor))),
  'word-left': (line) => changeOnly(moveTo(line, findWordStart(line))),
  'word-right': (line) => changeOnly(moveTo(line, findWordEnd(line))),
  home: (line) => changeOnly(moveTo(line, findLineStart(line))),
  end: (line) => changeOnly(moveTo(line, findLineEnd(line))),
  'delete-back': (line) => changeOnly(remove(line, findGraphemeStart(line.text, line.cursor), line.cursor)),
  delete: (line) => changeOnly(remove(line, line.cursor, findGraphemeEnd(line.text, line.cursor))),
  'delete-word': (line) => changeOnly(cutText(line, findWordStart(line), line.cursor)),
  'cut-to-start': (line) => changeOnly(cutText(line, findLineStart(line), line.cursor)),
  'cut-to-end': (line) => changeOnly(cutText(line, line.cursor, findLineEnd(line))),
  yank: (line) => changeOnly(insert(line, line.cut)),
  undo: (line) => changeOnly(undo(line)),
  up: (line) =>
    changeOnly(findLineStart(line) === 0 ? recall(line, line.historyIndex - 1) : moveByLine(line, -1)),
  down: (line) =>
    changeOnly(
      findLineEnd(line) === line.text.length ? recall(line, line.historyIndex + 1) : moveByLine(line, 1),
    ),
  escape: changeOnly,
  complete: (line) => ({ line, effect: { kind: 'complete' } }),
  'complete-back': (line) => ({ line, effect: { kind: 'complete' } }),
  search: (line) => ({ line, effect: { kind: 'search' } }),
  'open-editor': (line) => ({ line, effect: { kind: 'open-editor' } }),
  'clear-screen': (line) => ({ line, effect: { kind: 'clear-screen' } }),
  suspend: (line) => ({ line, effect: { kind: 'suspend' } }),
  'end-of-input': (line) =>
    line.text === ''
      ? { line, effect: { kind: 'leave' } }
      : changeOnly(remove(line, line.cursor, findGraphemeEnd(line.text, line.cursor))),
}

function changeOnly(line: LineState): LineStep {
  return { line, effect: { kind: 'none' } }
}

/** A final backslash starts a new line; blank input is not sent. */
function enter(line: LineState): LineStep {
  const { text, cursor, history } = line
  if (cursor === text.length && text.endsWith('\\')) {
    return changeOnly(insert(remove(line, cursor - 1, cursor), '\n'))
  }
  if (text.trim() === '') return changeOnly(createEmptyLine(history, line.cut))
  const remembered = history.at(-1) === text ? history : [...history, text]
  return { line: createEmptyLine(remembered, line.cut), effect: { kind: 'send', text } }
}

function clearOrLeave(line: LineState): LineStep {
  if (line.text !== '')
    return changeOnly({ ...createEmptyLine(line.history, line.cut), changes: line.changes })
  return line.leaving ? { line, effect: { kind: 'leave' } } : changeOnly({ ...line, leaving: true })
}

function cutText(line: LineState, from: number, to: number): LineState {
  return from === to ? line : { ...remove(line, from, to), cut: line.text.slice(from, to) }
}

function undo(line: LineState): LineState {
  const before = line.changes.at(-1)
  return before ? { ...line, ...before, changes: line.changes.slice(0, -1), typing: false } : line
}
