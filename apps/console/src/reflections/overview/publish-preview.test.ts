import type { SourceId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { dossierInWords, previewChanges, touchedInWords } from './publish-preview.tsx'
import { publishInWords } from './publish-question.tsx'

test.each([
  [{ isPublished: false, count: 0 }, 'There is no source in work yet.'],
  [
    { isPublished: false, count: 1 },
    'Anybody who talks with this reflection may then be told what stands in this source, word for word:',
  ],
  [
    { isPublished: true, count: 3 },
    'From the next question on, the public finds nothing more of these 3 sources:',
  ],
])('%j reads: %s', (given, words) => {
  expect(publishInWords({ name: 'work', ...given })).toBe(words)
})

const dossier = (added: number, removed: number, kept: number) => ({
  added: Array.from({ length: added }, (_, at) => `new ${at}`),
  removed: Array.from({ length: removed }, (_, at) => `old ${at}`),
  kept: Array.from({ length: kept }, (_, at) => `kept ${at}`),
})

test.each<[string, Parameters<typeof dossierInWords>, string]>([
  [
    'what is gained',
    [{ dossier: dossier(2, 0, 5), facts: 2 }, true],
    '2 facts can be looked up then. What it knows by heart gains 2 lines, and keeps 5:',
  ],
  [
    'what is lost',
    [{ dossier: dossier(1, 3, 0), facts: 1 }, false],
    '1 fact can no longer be looked up. What it knows by heart gains 1 line and loses 3 lines, and keeps 0:',
  ],
  [
    'that nothing changes',
    [{ dossier: dossier(0, 0, 4), facts: 0 }, true],
    'No fact counts in it. What the public agent knows by heart stays as it is.',
  ],
])('it says %s', (_, given, expected) => expect(dossierInWords(...given)).toBe(expected))

test.each<[number, number, boolean, string]>([
  [0, 0, true, 'No share links reach it. No visitor is talking now.'],
  [
    1,
    1,
    true,
    '1 share link reaches it. 1 visitor may be talking now: what they are told stays as it was when they began.',
  ],
  [
    2,
    3,
    false,
    '2 share links reach it. 3 visitors may be talking now: what is typed ends at once, a call says goodbye at its next question, and the link can be opened again.',
  ],
])('[P6] of %i links and %i visitors it says whom it touches', (links, visitors, publish, expected) => {
  expect(touchedInWords({ links, visitors }, publish)).toBe(expected)
})

type Compared = Parameters<typeof previewChanges>[0]

const source = (title: string, contentHash = 'a') => ({ id: `src_${title}` as SourceId, title, contentHash })
const LOOKED: Compared = {
  published: ['work'],
  sources: [source('Letter')],
  facts: 2,
  dossier: { removed: [], kept: ['Ada is old.'], added: ['Ada binds books.'] },
}

test.each<[string, Partial<Compared>, readonly string[]]>([
  ['a source that came', { sources: [source('Diary'), source('Letter')] }, ['added Source: Diary']],
  ['a source that went', { sources: [] }, ['removed Source: Letter']],
  [
    'a new version of one',
    { sources: [source('Letter', 'b')] },
    ['about The source Letter has a new version.'],
  ],
  [
    'what is known by heart, whichever was known before',
    { dossier: { removed: ['Ada is old.'], kept: [], added: ['Ada binds books.', 'Ada rows.'] } },
    ['removed Ada is old.', 'added Ada rows.'],
  ],
  ['how many facts there are', { facts: 3 }, ['about Facts that can be looked up: 3 in place of 2.']],
  ['what else is public', { published: ['work', 'talks'] }, ['added talks is public']],
  ['that only words changed', {}, ['about The words that the public agent is told are others.']],
])('it tells %s', (_, changed, expected) => {
  const told = previewChanges(LOOKED, { ...LOOKED, ...changed })
  expect(told.map(({ kind, text }) => `${kind} ${text}`)).toEqual(expected)
})
