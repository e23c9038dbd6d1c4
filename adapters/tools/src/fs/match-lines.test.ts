import { expect, test } from 'vitest'
import { runWithTimeLimit } from './match-lines.ts'

test('returns the result of the work, or throws its error', () => {
  expect(runWithTimeLimit(() => 'done')).toBe('done')
  expect(() =>
    runWithTimeLimit(() => {
      throw new Error('it broke')
    }),
  ).toThrow('it broke')
})

test('[S13] attack: an endlessly backtracking regular expression is stopped', () => {
  expect(runWithTimeLimit(() => /^(a+)+$/.test(`${'a'.repeat(5_000)}!`), 20)).toBe('too-long')
  expect(runWithTimeLimit(() => 'and work goes on afterwards')).toBe('and work goes on afterwards')
})
