import { expect, test } from 'vitest'
import { CreateToken } from './account.ts'
import { formatReadAccess, InviteMember, type MemberNamespaces } from './reflection.ts'

test.each([
  ['Ada Winter', true],
  ['  Ada Winter\n', true],
  ['عائشة', true],
  ['می‌خواهم', true],
  ['李小龍 👩‍🔬', true],
  ['Ada\nWinter', false],
  ['Ada\r\nOwner', false],
  ['Ada\u0000', false],
  ['Ada\u001B[31m', false],
  ['Ada\u0085Owner', false],
  ['Ada\u2028Owner', false],
  ['Ada \u202Eretni\u202C', false],
  ['Ada \u2067Winter\u2069', false],
  ['Ada\u200F', false],
  ['Ada\uD800', false],
  [' ', false],
])('[A1] the person name %j is valid: %s', (label, isValid) => {
  const named = { label, role: 'viewer' }
  expect(InviteMember.safeParse(named).success).toBe(isValid)
  expect(CreateToken.safeParse(named).success).toBe(isValid)
})

test('[A1] the problem of an invalid person name is reported', () => {
  const { error } = InviteMember.safeParse({ label: 'Ada\nWinter', role: 'viewer' })
  expect(error?.issues).toMatchObject([
    { path: ['label'], message: expect.stringMatching(/^must be one line/) },
  ])
})

const ALL = [
  { name: 'conversations', isPublished: false },
  { name: 'talks', isPublished: true },
  { name: 'work', isPublished: false },
]
const PRIVATE = ALL.map(({ name }) => ({ name, isPublished: false }))

test.each<[MemberNamespaces, typeof ALL, string]>([
  ['all', ALL, 'can read all namespaces, the private ones too: conversations, talks, work'],
  [[], ALL, 'can read the published namespaces only: talks'],
  [['talks'], ALL, 'can read the published namespaces only: talks'],
  [['work'], ALL, 'can read these private namespaces: work; and the published ones: talks'],
  [['work'], PRIVATE, 'can read these private namespaces: work; and none is published'],
  [[], PRIVATE, 'can read no namespace: none is published, and none is chosen'],
])('[A1] the read access of a member with %j is described', (reads, all, words) => {
  expect(formatReadAccess(reads, all)).toBe(words)
})

test('[A1] on a screen the read access names public folders', () => {
  expect(formatReadAccess([], ALL, 'folder')).toBe('can read the public folders only: talks')
})
