import { expect, test } from 'vitest'
import type { About } from '../ports/ingest-store.ts'
import { mayTell } from './speakers.ts'

const about: About = { displayName: 'Ada Winter', creatorName: 'Ada Frost', title: 'Notes' }
const told: About = { ...about, isFromConversation: true }
const BOB = 'Bob Example'

test.each<[string, string, string, string, About, boolean]>([
  ['the person tells of themselves', 'Ada Frost', 'I live in Kent.', 'Ada Frost', about, true],
  ['the person tells of somebody else', 'Ada Frost', 'Bob lives in Kent.', 'Bob', about, true],
  ['somebody else tells of themselves', BOB, 'I live in Kent.', BOB, about, true],
  ['somebody else tells of the person', BOB, 'Ada lives in Kent.', 'Ada Frost', about, false],
  ['somebody else tells of what is theirs', BOB, 'Ada’s dog barks.', 'Ada Frost’s dog', about, false],
  ['who has only the shown name tells of the person', 'Ada Winter', 'I live in Kent.', 'Ada', about, false],
  ['in a conversation, by the shown first name', BOB, 'Ada lives in Kent.', 'Ada Frost', told, true],
  ['in a conversation, by the last name', BOB, 'Mrs Frost lives in Kent.', 'Ada Frost', told, true],
  ['in a conversation, by the shown last name', BOB, 'Mrs Winter lives in Kent.', 'Ada Frost', told, true],
  ['in a conversation, by no name', BOB, 'She lives in Kent.', 'Ada Frost', told, false],
  ['in a conversation, of themselves as well', BOB, 'Ada and I live in Kent.', 'Ada Frost', told, false],
  ['by name, but not in a conversation', BOB, 'Ada lives in Kent.', 'Ada Frost', about, false],
])('[K3] %s', (_, speaker, quote, subject, whose, expected) => {
  expect(mayTell({ speaker, quote }, subject, whose)).toBe(expected)
})

test('[K3] where no other name is known, the shown one is the person’s', () => {
  const { creatorName: _, ...plain } = about
  expect(mayTell({ speaker: 'Ada Winter', quote: 'I live in Kent.' }, 'Ada Winter', plain)).toBe(true)
})
