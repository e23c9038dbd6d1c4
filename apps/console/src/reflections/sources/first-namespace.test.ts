import { expect, test } from 'vitest'
import { firstNamespace } from './first-namespace.ts'

const named = (...names: readonly string[]) =>
  names.map((name) => ({ name: name.replace('!', ''), isPublished: name.endsWith('!') }))

test.each([
  [['conversations', 'family', 'general', 'work!'], 'general'],
  [['conversations', 'family', 'general!'], 'family'],
  [['conversations', 'general!'], 'general'],
  [['conversations'], ''],
])('of %j, where ! is public, a source goes to %s at first', (names, first) => {
  expect(firstNamespace(named(...names))).toBe(first)
})
