import type { Place } from '@parley/contracts'
import { expect, test } from 'vitest'
import { formatLocalTime } from '../render/output.ts'
import { formatSourcePosition } from './reflection-ask.ts'

test.each<[Place, string]>([
  [{}, ''],
  [{ heading: 'Oslo', line: 3 }, '“Oslo”, line 3'],
  [{ page: 2, line: 3 }, 'page 2'],
  [{ speaker: 'Liv', date: '2022-08-19T18:40:31' }, 'Liv, 2022-08-19 18:40'],
  [{ date: '2022-08' }, '2022-08'],
  [{ date: '2022-08-19T18:40:31.123Z' }, formatLocalTime('2022-08-19T18:40:31.123Z')],
])('[K5] the place %j is shown as: %s', (place, text) => {
  expect(formatSourcePosition(place)).toBe(text)
})
