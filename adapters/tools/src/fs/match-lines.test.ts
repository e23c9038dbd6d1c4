import { expect, test } from 'vitest'
import { withinTime } from './match-lines.ts'

test('returns the result of the work, or throws its error', () => {
  expect(withinTime(() => 'done')).toBe('done')
  expect(() =>
    withinTime(() => {
      throw new Error('it broke')
    }),
  ).toThrow('it broke')
})

test('[S13] attack: an endlessly backtracking regular expression is stopped', () => {
  expect(withinTime(() => /^(a+)+$/.test(`${'a'.repeat(5_000)}!`), 20)).toBe('too-long')
  expect(withinTime(() => 'and work goes on afterwards')).toBe('and work goes on afterwards')
})
