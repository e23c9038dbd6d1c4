import { graphemeAfter, graphemeBefore } from '../render/text-width.ts'
import type { Key, KeyName } from './key.ts'
import {
  emptyLine,
  insert,
  lineEnd,
  type LineState,
  lineStart,
  moveByLine,
  moveTo,
  recall,
  remove,
  wordAfter,
  wordBefore,
} from './line-state.ts'

export type Effect =
  | { readonly kind: 'none' }
  | { readonly kind: 'send'; readonly text: string }
  | { readonly kind: 'leave' | 'clear-screen' | 'suspend' | 'complete' | 'search' | 'open-editor' }

interface Step {
  readonly line: LineState
  readonly effect: Effect
}

/** What a key does to the line. */
export function editLine(line: LineState, key: Key): Step {
  const calm = line.leaving && key.name !== 'interrupt' ? { ...line, leaving: false } : line
  const isText = key.name === 'text' || key.name === 'paste'
  const step = isText ? edited(insert(calm, key.text)) : ACTIONS[key.name](calm)
  if (key.name === 'undo') return step
  const typing = key.name === 'text' && key.text !== ' '
  const goesOn = line.typing && typing
  const isChange = step.line.text !== line.text && step.effect.kind === 'none' && !goesOn
  const { text, cursor } = line
  const changes = isChange ? [...step.line.changes, { text, cursor }].slice(-MOST_CHANGES) : step.line.changes
  return { ...step, line: { ...step.line, typing, changes } }
}

const MOST_CHANGES = 100

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
  'delete-word': (line) => edited(cut(line, wordBefore(line), line.cursor)),
  'cut-to-start': (line) => edited(cut(line, lineStart(line), line.cursor)),
  'cut-to-end': (line) => edited(cut(line, line.cursor, lineEnd(line))),
  yank: (line) => edited(insert(line, line.cut)),
  undo: (line) => edited(undo(line)),
  up: (line) => edited(lineStart(line) === 0 ? recall(line, line.place - 1) : moveByLine(line, -1)),
  down: (line) =>
    edited(lineEnd(line) === line.text.length ? recall(line, line.place + 1) : moveByLine(line, 1)),
  escape: edited,
  complete: (line) => ({ line, effect: { kind: 'complete' } }),
  'complete-back': (line) => ({ line, effect: { kind: 'complete' } }),
  search: (line) => ({ line, effect: { kind: 'search' } }),
  'open-editor': (line) => ({ line, effect: { kind: 'open-editor' } }),
  'clear-screen': (line) => ({ line, effect: { kind: 'clear-screen' } }),
  suspend: (line) => ({ line, effect: { kind: 'suspend' } }),
  'end-of-input': (line) =>
    line.text === ''
      ? { line, effect: { kind: 'leave' } }
      : edited(remove(line, line.cursor, graphemeAfter(line.text, line.cursor))),
}

function edited(line: LineState): Step {
  return { line, effect: { kind: 'none' } }
}

/** A backslash before the cursor at the end goes on in a new line; nothing but space is not sent. */
function enter(line: LineState): Step {
  const { text, cursor, history } = line
  if (cursor === text.length && text.endsWith('\\')) {
    return edited(insert(remove(line, cursor - 1, cursor), '\n'))
  }
  if (text.trim() === '') return edited(emptyLine(history, line.cut))
  const remembered = history.at(-1) === text ? history : [...history, text]
  return { line: emptyLine(remembered, line.cut), effect: { kind: 'send', text } }
}

function interrupt(line: LineState): Step {
  if (line.text !== '') return edited({ ...emptyLine(line.history, line.cut), changes: line.changes })
  return line.leaving ? { line, effect: { kind: 'leave' } } : edited({ ...line, leaving: true })
}

function cut(line: LineState, from: number, to: number): LineState {
  return from === to ? line : { ...remove(line, from, to), cut: line.text.slice(from, to) }
}

function undo(line: LineState): LineState {
  const before = line.changes.at(-1)
  return before ? { ...line, ...before, changes: line.changes.slice(0, -1), typing: false } : line
}
