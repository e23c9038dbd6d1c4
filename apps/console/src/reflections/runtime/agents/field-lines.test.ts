import { expect, test } from 'vitest'
import { fieldLines } from './field-lines.ts'

test.each<[string, Omit<Parameters<typeof fieldLines>[0], 'path'>, readonly string[]]>([
  ['a number', { held: 0.9, wanted: 0.4 }, ['removed 0.9', 'added 0.4']],
  ['what the provider lacks', { wanted: true }, ['added true']],
  ['what should not be there', { held: null }, ['removed null']],
  ['a text, by its lines', { held: 'a\nb', wanted: 'a\nc' }, ['same a', 'removed b', 'added c']],
  [
    'a list, by its entries',
    { held: [], wanted: ['x'] },
    ['removed []', 'added [', 'added   "x"', 'added ]'],
  ],
])('[P13] %s', (_, difference, expected) => {
  expect(fieldLines({ path: 'x', ...difference }).map(({ kind, text }) => `${kind} ${text}`)).toEqual(
    expected,
  )
})
