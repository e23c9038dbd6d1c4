import { expect, test } from 'vitest'
import { findNextRow } from './keyboard.ts'

test.each<[string, number, number, number | undefined]>([
  ['j', -1, 3, 0],
  ['k', -1, 3, 2],
  ['j', 0, 3, 1],
  ['ArrowDown', 1, 3, 2],
  ['ArrowDown', 2, 3, undefined],
  ['k', 1, 3, 0],
  ['ArrowUp', 0, 3, undefined],
  ['j', -1, 0, undefined],
  ['x', 0, 3, undefined],
])('%s from row %i of %i rows leads to %s', (key, at, count, expected) => {
  expect(findNextRow(key, at, count)).toBe(expected)
})
