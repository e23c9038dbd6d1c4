import type { Audience } from '@parley/contracts'
import { expect, test } from 'vitest'
import { visibleNamespaces } from './visible-namespaces.ts'

const namespaces = [
  { name: 'essays', isPublished: true },
  { name: 'garden', isPublished: true },
  { name: 'diary', isPublished: false },
]
const ALL = ['essays', 'garden', 'diary']

test.each<[string, Audience, readonly string[], readonly string[] | undefined, readonly string[]]>([
  ['everything in private', 'private', ALL, undefined, ALL],
  ['only published namespaces in public', 'public', ALL, undefined, ['essays', 'garden']],
  ['no more than its stored allowlist', 'private', ['diary'], undefined, ['diary']],
  ['nothing that was unpublished since', 'public', ['diary'], undefined, []],
  ['no more than its link allows', 'public', ALL, ['garden', 'diary'], ['garden']],
  ['no more than its member reaches', 'private', ALL, ['diary'], ['diary']],
  ['nothing where its member reaches nothing', 'private', ALL, [], []],
  ['no removed namespace', 'private', ['poems', 'essays'], ['poems', 'essays'], ['essays']],
])('[P4] [P6] a session sees %s', (_, sessionAudience, allowed, limit, expected) => {
  const session = { namespaces: allowed, sessionAudience }
  expect(visibleNamespaces(session, limit && { namespaces: limit }, { namespaces })).toEqual(expected)
})

test.each<[string, Audience, readonly string[] | undefined, readonly string[]]>([
  ['of a private session without a limit', 'private', undefined, ALL],
  ['of a public session without a limit', 'public', undefined, ['essays', 'garden']],
  ['of a public session by a link', 'public', ['diary', 'essays'], ['essays']],
])(
  '[P4] a plan %s has no stored allowlist and sees all that is left',
  (_, sessionAudience, limit, expected) => {
    expect(visibleNamespaces({ sessionAudience }, { namespaces: limit }, { namespaces })).toEqual(expected)
  },
)
