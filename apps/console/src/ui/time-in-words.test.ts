import { expect, test } from 'vitest'
import { timeInWords } from './time-in-words.ts'

test('a time is shown to the minute, with the name of its month', () => {
  const words = timeInWords('2026-11-16T12:37:41.123Z')
  expect(words).toMatch(/\bNov\b.*2026/)
  expect(words).not.toMatch(/41|123|Z/)
})
