import type { Place } from '@parley/contracts'
import { expect, test } from 'vitest'
import { formatTime } from '../ui/format.ts'
import { describePublicFolders, formatSourcePlace } from './format.ts'

test.each<[Place, string]>([
  [{}, ''],
  [{ page: 3 }, 'page 3'],
  [{ line: 15, heading: 'The old book' }, 'line 15, under “The old book”'],
  [{ speaker: 'Liv', date: '2022-08-19T18:40' }, 'said by Liv, 2022-08-19 18:40'],
  [{ date: '2022-08-19' }, '2022-08-19'],
  [{ date: '2022-08-19T18:40:31' }, '2022-08-19 18:40'],
  [{ date: '2022-08-19T18:40:31.123Z' }, formatTime('2022-08-19T18:40:31.123Z')],
  [{ offset: '00:11:31' }, 'at 00:11:31'],
])('[K5] the place %j is shown as: %s', (place, expected) => {
  expect(formatSourcePlace(place)).toBe(expected)
})

test('the public folders are named', () => {
  const general = { name: 'general', isPublished: false }
  expect(describePublicFolders([general])).toBe('nothing is public')
  expect(describePublicFolders([general, { name: 'work', isPublished: true }])).toBe('public: work')
})
