import { expect, test } from 'vitest'
import type { SourceContext } from '../ports/ingest-store.ts'
import { findLabelRole, mayStateFact, resolveSpeaker } from './speakers.ts'

const context: SourceContext = { displayName: 'Ada Winter', creatorName: 'Ada Frost', title: 'Notes' }
const conversation: SourceContext = { ...context, isFromConversation: true }
const BOB = 'Bob Example'

test.each<[string, string, string, string, SourceContext, boolean]>([
  ['the person about themselves', 'Ada Frost', 'I live in Kent.', 'Ada Frost', context, true],
  ['the person about somebody else', 'Ada Frost', 'Bob lives in Kent.', 'Bob', context, true],
  ['somebody else about themselves', BOB, 'I live in Kent.', BOB, context, true],
  ['somebody else about the person', BOB, 'Ada lives in Kent.', 'Ada Frost', context, false],
  ['somebody else about the person’s possession', BOB, 'Ada’s dog barks.', 'Ada Frost’s dog', context, false],
  ['a speaker with only the display name', 'Ada Winter', 'I live in Kent.', 'Ada', context, false],
  [
    'in a conversation, by the first display name',
    BOB,
    'Ada lives in Kent.',
    'Ada Frost',
    conversation,
    true,
  ],
  ['in a conversation, by the last name', BOB, 'Mrs Frost lives in Kent.', 'Ada Frost', conversation, true],
  [
    'in a conversation, by the last display name',
    BOB,
    'Mrs Winter lives in Kent.',
    'Ada Frost',
    conversation,
    true,
  ],
  ['in a conversation, without a name', BOB, 'She lives in Kent.', 'Ada Frost', conversation, false],
  [
    'in a conversation, including the speaker',
    BOB,
    'Ada and I live in Kent.',
    'Ada Frost',
    conversation,
    false,
  ],
  ['by name, outside a conversation', BOB, 'Ada lives in Kent.', 'Ada Frost', context, false],
])('[K3] %s', (_, speaker, quote, subject, source, expected) => {
  expect(mayStateFact({ speaker, quote }, subject, source)).toBe(expected)
})

test('[K3] without a creator name the display name is the person’s', () => {
  const { creatorName: _, ...plain } = context
  expect(mayStateFact({ speaker: 'Ada Winter', quote: 'I live in Kent.' }, 'Ada Winter', plain)).toBe(true)
})

test.each<[string, string | undefined]>([
  ['me', 'Ada Frost'],
  [' A ', 'Ada Frost'],
  ['Ada Winter', 'Ada Frost'],
  ['Respondent 2', 'Ada Frost'],
  ['Interviewer', undefined],
  ['Assistant', undefined],
  [' U02ABCDEF ', undefined],
  ['42', undefined],
  ['B', undefined],
  ['12 Bob Example 🎉', 'Bob Example'],
  [`Bob ${'x'.repeat(100)}`, `Bob ${'x'.repeat(76)}`],
])('[K4] the label %j is resolved to a person', (label, speaker) => {
  expect(resolveSpeaker(label, context)).toBe(speaker)
})

test.each([
  ['Interviewer', 'asks'],
  ['ChatGPT', 'machine'],
  ['Ich', 'creator'],
])('[K4] the label %j has a role', (label, role) => {
  expect(findLabelRole(label)).toBe(role)
})
