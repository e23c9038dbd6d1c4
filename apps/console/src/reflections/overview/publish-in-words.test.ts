import { expect, test } from 'vitest'
import { publishInWords } from './publish-in-words.ts'

test.each([
  [{ isPublished: false, count: 0 }, 'There is no source in work yet.'],
  [
    { isPublished: false, count: 1 },
    'Anybody who talks with this reflection may then be told what stands in this source, word for word:',
  ],
  [
    { isPublished: true, count: 3 },
    'From the next question on, the public finds nothing more of these 3 sources:',
  ],
])('%j reads: %s', (given, words) => {
  expect(publishInWords({ name: 'work', ...given })).toBe(words)
})
