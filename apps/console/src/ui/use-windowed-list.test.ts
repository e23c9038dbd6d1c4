import { expect, test } from 'vitest'
import { WINDOW_SIZE, listWindows } from './use-windowed-list.ts'

test.each<[string, number, number, readonly number[]]>([
  ['the beginning is one window', 0, 12, [0]],
  ['a range across two windows reads both', WINDOW_SIZE - 1, WINDOW_SIZE, [0, 1]],
  ['the middle reads nothing before it', 400, 401, [8]],
  ['a tall screen reads every visible window', 0, 120, [0, 1, 2]],
])('%s', (_, first, last, expected) => expect(listWindows(first, last)).toEqual(expected))
