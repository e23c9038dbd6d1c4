import { expect, test } from 'vitest'
import { fitMiddle, fitText, graphemeAfter, graphemeBefore, textWidth } from './text-width.ts'

test.each([
  ['plain', 5],
  ['Zürich', 6],
  ['u\u0308', 1],
  ['漢字', 4],
  ['😀', 2],
  ['👩‍👩‍👧', 2],
  ['🇸🇪', 2],
  ['❤️', 2],
])('%s takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width)
})

test('the cursor moves over a whole character', () => {
  expect(graphemeBefore('a👩‍👩‍👧', 9)).toBe(1)
  expect(graphemeAfter('a👩‍👩‍👧', 1)).toBe(9)
  expect(graphemeBefore('', 0)).toBe(0)
  expect(graphemeAfter('a', 1)).toBe(1)
})

test.each([
  ['short', 10, 'short'],
  ['a longer title', 9, 'a longer…'],
  ['漢字漢字', 6, '漢字…'],
])('"%s" in %i columns', (text, columns, fitted) => {
  expect(fitText(text, columns)).toBe(fitted)
})

test.each([
  ['short', 10, 'short'],
  ['/home/ada/.parley/config.toml', 15, '/home/a…ig.toml'],
  ['日本語日本語日本語', 8, '日…本語'],
])('%j gives its middle for %d columns', (text, columns, expected) => {
  expect(fitMiddle(text, columns)).toBe(expected)
  expect(textWidth(fitMiddle(text, columns))).toBeLessThanOrEqual(columns)
})
