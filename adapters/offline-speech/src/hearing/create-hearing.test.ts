import fc from 'fast-check'
import { expect, test } from 'vitest'
import { windowsOf } from './create-hearing.ts'

const LONGEST = 8_000

test('[X2] the windows are the utterance, none too long, and none but the last short', () => {
  fc.assert(
    fc.property(fc.float32Array({ minLength: 0, maxLength: 40_000, noNaN: true }), (utterance) => {
      const windows = windowsOf(utterance, LONGEST)
      expect(Float32Array.from(windows.flatMap((window) => [...window]))).toEqual(utterance)
      for (const window of windows) expect(window.length).toBeLessThanOrEqual(LONGEST)
      for (const window of windows.slice(0, -1)) expect(window.length).toBeGreaterThanOrEqual(LONGEST / 2)
    }),
    { numRuns: 20 },
  )
})

test('[X2] the cut is in the pause', () => {
  const utterance = new Float32Array(12_000).fill(0.5).fill(0, 5_000, 7_000)
  const [first] = windowsOf(utterance, LONGEST)
  expect(first?.length).toBeGreaterThan(5_000)
  expect(first?.length).toBeLessThan(7_000)
})
