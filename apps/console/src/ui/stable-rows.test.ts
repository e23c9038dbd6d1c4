import { expect, test } from 'vitest'
import { type StableRow, mergeRows } from './stable-rows.tsx'

/** As a line: gone rows are in brackets. */
const describeRows = (rows: readonly StableRow<string>[]) =>
  rows.map(({ item, isGone }) => (isGone ? `(${item})` : item)).join(' ')

const createRows = (line: string): readonly StableRow<string>[] =>
  line
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({ item: word.replace(/[()]/g, ''), isGone: word.startsWith('(') }))

interface Given {
  readonly items: string
  readonly decided?: readonly string[]
  readonly isWhole?: boolean
}

test.each<[string, string, Given, string]>([
  ['the first render shows the list', '', { items: 'a b' }, 'a b'],
  ['new rows come last, wherever the server puts them', 'b c', { items: 'a b c' }, 'b c a'],
  ['a row decided here disappears', 'a b c', { items: 'b c', decided: ['a'] }, 'b c'],
  ['a row decided elsewhere keeps its space', 'a b c', { items: 'b c' }, '(a) b c'],
  ['a gone row stays', '(a) b c', { items: 'b c' }, '(a) b c'],
  ['a returning row is active again', '(a) b', { items: 'a b' }, 'a b'],
  ['gone rows after the last active one disappear', 'a b c', { items: 'a' }, 'a'],
  ['an empty list shows nothing', 'a b', { items: '' }, ''],
  ['a new row does not take the place of a gone one', 'a', { items: 'b' }, '(a) b'],
  ['a row outside a partial list stays active', 'a b', { items: 'c a', isWhole: false }, 'a b c'],
])('[A3] %s', (_, before, { items, decided = [], isWhole = true }, expected) => {
  const now = { items: createRows(items).map(({ item }) => item), decided: new Set(decided), isWhole }
  const once = mergeRows(createRows(before), { ...now, getKey: (item) => item })
  expect(describeRows(once)).toBe(expected)
  expect(describeRows(mergeRows(once, { ...now, getKey: (item) => item }))).toBe(expected)
})
