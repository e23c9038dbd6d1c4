import type { SourceId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { previewChanges } from './changed-preview.tsx'

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
