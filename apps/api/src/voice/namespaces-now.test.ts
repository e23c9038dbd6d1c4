import type { Audience } from '@parley/contracts'
import { expect, test } from 'vitest'
import { namespacesNow } from './namespaces-now.ts'

const namespaces = [
  { name: 'essays', isPublished: true },
  { name: 'garden', isPublished: true },
  { name: 'diary', isPublished: false },
]
const ALL = ['essays', 'garden', 'diary']

test.each<[string, Audience, readonly string[], readonly string[] | undefined, readonly string[]]>([
  ['everything, where it is private', 'private', ALL, undefined, ALL],
  ['what is published, where it is public', 'public', ALL, undefined, ['essays', 'garden']],
  ['no more than the session was given', 'private', ['diary'], undefined, ['diary']],
  ['nothing that was unpublished since', 'public', ['diary'], undefined, []],
  ['no more than its link is for', 'public', ALL, ['garden', 'diary'], ['garden']],
  ['no more than its person reaches', 'private', ALL, ['diary'], ['diary']],
  ['nothing, where nothing is reached', 'private', ALL, [], []],
  ['nothing that is not there any more', 'private', ['poems', 'essays'], ['poems', 'essays'], ['essays']],
])('[P4] [P6] a session sees %s', (_, sessionAudience, given, bound, expected) => {
  expect(namespacesNow({ namespaces: given, sessionAudience }, bound, { namespaces })).toEqual(expected)
})
