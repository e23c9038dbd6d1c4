import type { Place } from '@parley/contracts'
import { expect, test } from 'vitest'
import { timeInWords } from '../ui/time-in-words.ts'
import { placeInWords } from './place-in-words.ts'

test.each<[Place, string]>([
  [{}, ''],
  [{ page: 3 }, 'page 3'],
  [{ line: 15, heading: 'The old book' }, 'line 15, under “The old book”'],
  [{ speaker: 'Liv', date: '2022-08-19T18:40' }, 'said by Liv, 2022-08-19 18:40'],
  [{ date: '2022-08-19' }, '2022-08-19'],
  [{ date: '2022-08-19T18:40:31' }, '2022-08-19 18:40'],
  [{ date: '2022-08-19T18:40:31.123Z' }, timeInWords('2022-08-19T18:40:31.123Z')],
  [{ offset: '00:11:31' }, 'at 00:11:31'],
])('[K5] the place %j is shown as: %s', (place, words) => {
  expect(placeInWords(place)).toBe(words)
})
