import { expect, test } from 'vitest'
import { type HeldRow, heldRows } from './use-held-rows.ts'

/** As a line: what is gone stands in brackets. */
const shown = (rows: readonly HeldRow<string>[]) =>
  rows.map(({ item, isGone }) => (isGone ? `(${item})` : item)).join(' ')

const rowsOf = (line: string): readonly HeldRow<string>[] =>
  line
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({ item: word.replace(/[()]/g, ''), isGone: word.startsWith('(') }))

interface Given {
  readonly items: string
  readonly own?: readonly string[]
  readonly isWhole?: boolean
}

test.each<[string, string, Given, string]>([
  ['at first it is the list', '', { items: 'a b' }, 'a b'],
  ['what is new stands below, wherever the server puts it', 'b c', { items: 'a b c' }, 'b c a'],
  ['what was decided here goes', 'a b c', { items: 'b c', own: ['a'] }, 'b c'],
  ['what was decided elsewhere keeps its room', 'a b c', { items: 'b c' }, '(a) b c'],
  ['and keeps it', '(a) b c', { items: 'b c' }, '(a) b c'],
  ['what comes back is there again', '(a) b', { items: 'a b' }, 'a b'],
  ['below the last that waits no room is kept', 'a b c', { items: 'a' }, 'a'],
  ['where nothing waits any more, nothing is shown', 'a b', { items: '' }, ''],
  ['one that comes as another goes does not take its place', 'a', { items: 'b' }, '(a) b'],
  ['what is not among those read may still wait', 'a b', { items: 'c a', isWhole: false }, 'a b c'],
])('[A3] %s', (_, before, { items, own = [], isWhole = true }, expected) => {
  const now = { items: rowsOf(items).map(({ item }) => item), own: new Set(own), isWhole }
  const once = heldRows(rowsOf(before), { ...now, keyOf: (item) => item })
  expect(shown(once)).toBe(expected)
  expect(shown(heldRows(once, { ...now, keyOf: (item) => item }))).toBe(expected)
})
