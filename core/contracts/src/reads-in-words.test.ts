import { expect, test } from 'vitest'
import type { MemberNamespaces } from './reflection.ts'
import { readsInWords } from './reads-in-words.ts'

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
])('[A1] what a member with %j reads is said', (reads, all, words) => {
  expect(readsInWords(reads, all)).toBe(words)
})
