import { expect, test } from 'vitest'
import { publicInWords } from './public-in-words.ts'

test('what is public is named', () => {
  const general = { name: 'general', isPublished: false }
  expect(publicInWords([general])).toBe('nothing is public')
  expect(publicInWords([general, { name: 'work', isPublished: true }])).toBe('public: work')
})
