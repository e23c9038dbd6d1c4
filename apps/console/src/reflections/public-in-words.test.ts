import { expect, test } from 'vitest'
import { publicInWords } from './public-in-words.ts'

test('the public folders are named', () => {
  const general = { name: 'general', isPublished: false }
  expect(publicInWords([general])).toBe('nothing is public')
  expect(publicInWords([general, { name: 'work', isPublished: true }])).toBe('public: work')
})
