import { expect, test } from 'vitest'
import { sizeInWords } from './size-in-words.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [11_482, '11 kB'],
  [999_400, '999 kB'],
  [1_250_000, '1.3 MB'],
])('%i bytes are %s', (bytes, words) => {
  expect(sizeInWords(bytes)).toBe(words)
})
