import { Role } from '@parley/contracts'
import { expect, test } from 'vitest'
import { decideIngestion, type Ingestion, type IngestionQuestion } from './decide-ingestion.ts'

const usual: IngestionQuestion = {
  mode: 'reflection',
  role: 'owner',
  audience: 'private',
  offRecord: false,
  shareIngestion: false,
}

test.each<[string, Partial<IngestionQuestion>, Ingestion]>([
  ['an interview is learned from', { mode: 'interview' }, 'ingest'],
  [
    'an interview off the record is refused',
    { mode: 'interview', offRecord: true },
    { refused: 'interview_requires_ingestion' },
  ],
  ['a reflection is learned from', {}, 'ingest'],
  ['a reflection off the record is not even kept', { offRecord: true }, 'off-record'],
  ['what a viewer says is kept, not learned', { role: 'viewer' }, 'keep-only'],
  ['what the public says is kept, not learned', { audience: 'public', role: 'guest' }, 'keep-only'],
  ['a share is kept, not learned', { mode: 'share' }, 'keep-only'],
  ['a share is learned from where the owner said so', { mode: 'share', shareIngestion: true }, 'ingest'],
  [
    'a share off the record is not even kept',
    { mode: 'share', shareIngestion: true, offRecord: true },
    'off-record',
  ],
])('[V5] %s', (_, given, expected) => {
  expect(decideIngestion({ ...usual, ...given })).toEqual(expected)
})

test.each(Role.options)('[V5] a share by a %s is not learned from unless the owner said so', (role) => {
  expect(decideIngestion({ ...usual, mode: 'share', role })).toBe('keep-only')
})
