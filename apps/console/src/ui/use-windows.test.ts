import { expect, test } from 'vitest'
import { WINDOW, windowsBetween } from './use-windows.ts'

test.each<[string, number, number, readonly number[]]>([
  ['the beginning is one part', 0, 12, [0]],
  ['what spans two is read in two', WINDOW - 1, WINDOW, [0, 1]],
  ['the middle needs nothing before it', 400, 401, [8]],
  ['a tall screen takes all that it shows', 0, 120, [0, 1, 2]],
])('%s', (_, first, last, expected) => expect(windowsBetween(first, last)).toEqual(expected))
