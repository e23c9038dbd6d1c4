import { expect, test } from 'vitest'
import { durationInWords } from './duration-in-words.ts'

test.each<[number, string]>([
  [-3, '0 ms'],
  [7.4, '7 ms'],
  [999, '999 ms'],
  [1_250, '1.3 s'],
  [42_400, '42 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
])('%d milliseconds are %s', (ms, words) => {
  expect(durationInWords(ms)).toBe(words)
})
