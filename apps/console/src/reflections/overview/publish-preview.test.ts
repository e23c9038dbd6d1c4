import type { SourceId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { describeSummaryChange, comparePreviews, describeAffected } from './publish-preview.tsx'
import { describePublishing } from './folder-section.tsx'

test.each([
  [{ isPublished: false, count: 0 }, 'work has no sources yet.'],
  [
    { isPublished: false, count: 1 },
    'Anyone who talks with this reflection can then hear anything from this source, word for word:',
  ],
  [
    { isPublished: true, count: 3 },
    'From the next question on, visitors get no answers from these 3 sources:',
  ],
])('%j is described as: %s', (given, words) => {
  expect(describePublishing({ name: 'work', ...given })).toBe(words)
})

const createDossier = (added: number, removed: number, kept: number) => ({
  added: Array.from({ length: added }, (_, at) => `new ${at}`),
  removed: Array.from({ length: removed }, (_, at) => `old ${at}`),
  kept: Array.from({ length: kept }, (_, at) => `kept ${at}`),
})

test.each<[string, Parameters<typeof describeSummaryChange>, string]>([
  [
    'additions',
    [{ dossier: createDossier(2, 0, 5), facts: 2 }, true],
    '2 facts become searchable. This adds 2 facts to its summary (5 unchanged):',
  ],
  [
    'additions and removals',
    [{ dossier: createDossier(1, 3, 0), facts: 1 }, false],
    '1 fact is no longer searchable. This adds 1 fact to its summary and removes 3 (0 unchanged):',
  ],
  [
    'only removals',
    [{ dossier: createDossier(0, 1, 2), facts: 1 }, false],
    '1 fact is no longer searchable. This removes 1 fact from its summary (2 unchanged):',
  ],
  [
    'no change',
    [{ dossier: createDossier(0, 0, 4), facts: 0 }, true],
    'It has no active facts. The public agent’s summary stays the same.',
  ],
])('the summary change names %s', (_, given, expected) =>
  expect(describeSummaryChange(...given)).toBe(expected),
)

test.each<[number, number, boolean, string]>([
  [0, 0, true, 'No share links include it. No visitor is talking now.'],
  [
    1,
    1,
    true,
    '1 share link includes it. 1 visitor may be talking now: their conversation keeps the content it started with.',
  ],
  [
    2,
    3,
    false,
    '2 share links include it. 3 visitors may be talking now: typed conversations end at once, calls end at the next question, and the link can be opened again.',
  ],
])('[P6] %i links and %i visitors are named as affected', (links, visitors, publish, expected) => {
  expect(describeAffected({ links, visitors }, publish)).toBe(expected)
})

type Compared = Parameters<typeof comparePreviews>[0]

const source = (title: string, contentHash = 'a') => ({ id: `src_${title}` as SourceId, title, contentHash })
const SHOWN: Compared = {
  published: ['work'],
  sources: [source('Letter')],
  facts: 2,
  dossier: { removed: [], kept: ['Ada is old.'], added: ['Ada binds books.'] },
}

test.each<[string, Partial<Compared>, readonly string[]]>([
  ['an added source', { sources: [source('Diary'), source('Letter')] }, ['added Source: Diary']],
  ['a removed source', { sources: [] }, ['removed Source: Letter']],
  [
    'a new version of a source',
    { sources: [source('Letter', 'b')] },
    ['about The source Letter has a new version.'],
  ],
  [
    'summary lines, compared with those shown',
    { dossier: { removed: ['Ada is old.'], kept: [], added: ['Ada binds books.', 'Ada rows.'] } },
    ['removed Ada is old.', 'added Ada rows.'],
  ],
  ['the number of facts', { facts: 3 }, ['about Searchable facts: 3 instead of 2.']],
  ['another public folder', { published: ['work', 'talks'] }, ['added talks is public']],
  ['a change of the prompt alone', {}, ['about The public agent’s prompt changed.']],
])('changes since the preview list %s', (_, changed, expected) => {
  const changes = comparePreviews(SHOWN, { ...SHOWN, ...changed })
  expect(changes.map(({ kind, text }) => `${kind} ${text}`)).toEqual(expected)
})
