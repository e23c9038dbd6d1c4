import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitWindows, cutRepeats } from './moonshine.ts'

test.each<[string, string, string]>([
  ['plain speech', 'I said no, no, no.', 'I said no, no, no.'],
  ['an endless word', 'I went to the the the the the the', 'I went to the'],
  ['an endless phrase', 'Thank you. Thank you. Thank you. Thank you. Thank', 'Thank you.'],
  ['text after a repetition', 'So it is it is it is it is a day', 'So it is'],
  ['nothing', '', ''],
])('[X2] %s', (_, text, expected) => {
  expect(cutRepeats(text)).toBe(expected)
})

test('[X2] different words stay', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/u), { maxLength: 40 }), (words) => {
      expect(cutRepeats(words.join(' '))).toBe(words.join(' '))
    }),
  )
})

const MAX_LENGTH = 8_000

test('[X2] windows cover the utterance; none is too long, and only the last may be short', () => {
  fc.assert(
    fc.property(fc.float32Array({ minLength: 0, maxLength: 40_000, noNaN: true }), (utterance) => {
      const windows = splitWindows(utterance, MAX_LENGTH)
      expect(Float32Array.from(windows.flatMap((window) => [...window]))).toEqual(utterance)
      for (const window of windows) expect(window.length).toBeLessThanOrEqual(MAX_LENGTH)
      for (const window of windows.slice(0, -1)) expect(window.length).toBeGreaterThanOrEqual(MAX_LENGTH / 2)
    }),
    { numRuns: 20 },
  )
})

test('[X2] the cut is in the pause', () => {
  const utterance = new Float32Array(12_000).fill(0.5).fill(0, 5_000, 7_000)
  const [first] = splitWindows(utterance, MAX_LENGTH)
  expect(first?.length).toBeGreaterThan(5_000)
  expect(first?.length).toBeLessThan(7_000)
})
