import type { Source } from '@parley/contracts'
import { expect, test } from 'vitest'
import { learningOf } from './learning-in-words.ts'

const source = (state: Source['state'], facts = 0) => ({ state, facts, chunks: 1 }) as Source

test.each<[string, readonly Source[], string, boolean]>([
  ['nothing was given to it', [], 'It has no sources yet, and nothing to speak of.', false],
  ['it has just begun', [source('running'), source('queued')], 'It is still reading: 0 of 2 sources.', false],
  [
    'it is under way',
    [source('completed', 3), source('queued')],
    'It is still reading: 1 of 2 sources.',
    true,
  ],
  ['all is read', [source('completed', 3), source('failed')], 'It knows 3 facts from 2 sources.', true],
  ['there is one of each', [source('completed', 1)], 'It knows 1 fact from 1 source.', true],
])('%s', (_, sources, words, isBegun) => {
  expect(learningOf(sources)).toMatchObject({ words, isBegun })
})
