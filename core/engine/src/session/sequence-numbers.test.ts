import { expect, test } from 'vitest'
import { areConsecutive, areRising } from './sequence-numbers.ts'

const toNumbered = (...numbers: readonly number[]) => numbers.map((sequenceNumber) => ({ sequenceNumber }))

test.each<[readonly number[], boolean, boolean]>([
  [[], true, true],
  [[1], true, true],
  [[0], true, false],
  [[4, 5, 6], true, true],
  [[4, 6], false, true],
  [[1, 2, 4], false, true],
  [[1, 5, 4], false, false],
  [[1, 1], false, false],
  [[2, 1], false, false],
])('[S4] numbers %j: consecutive %s, rising %s', (numbers, isConsecutive, isRising) => {
  expect(areConsecutive(toNumbered(...numbers))).toBe(isConsecutive)
  expect(areRising(toNumbered(...numbers))).toBe(isRising)
})
