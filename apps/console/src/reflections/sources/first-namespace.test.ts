import { expect, test } from 'vitest'
import { firstNamespace } from './first-namespace.ts'

const named = (...names: readonly string[]) =>
  names.map((name) => ({ name: name.replace('!', ''), isPublished: name.endsWith('!') }))

test.each<[string[], string, 'all' | string[]]>([
  [['conversations', 'family', 'general', 'work!'], 'general', 'all'],
  [['conversations', 'family', 'general!'], 'family', 'all'],
  [['conversations', 'general!'], 'general', 'all'],
  [['conversations'], '', 'all'],
  [['family', 'talks!'], 'family', ['family']],
  [['conversations', 'talks!'], '', ['conversations']],
])('of %j, where ! is public, a source goes to %s at first, by who works in %j', (names, first, reads) => {
  expect(firstNamespace({ namespaces: named(...names), reads })).toBe(first)
})
