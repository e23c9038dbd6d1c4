import type { ReflectionSummary } from '@parley/contracts'
import { expect, test } from 'vitest'
import { learningOf } from './learning-in-words.ts'

const summary = (learned: number, busy: number, wrong: number, ...facts: readonly number[]) => ({
  sources: { learned, busy, wrong },
  waiting: 0,
  namespaces: facts.map((count, at) => ({ name: `part-${at}`, sources: 1, facts: count })),
})

test.each<[string, ReflectionSummary, string]>([
  ['nothing was given to it', summary(0, 0, 0), 'It has no sources yet, and nothing to speak of.'],
  ['it has just begun', summary(0, 2, 0), 'It is still reading: 0 of 2 sources.'],
  ['it is under way', summary(1, 1, 1, 3), 'It is still reading: 2 of 3 sources.'],
  ['all is read, as far as it can be', summary(2, 0, 1, 3, 1), 'It knows 4 facts from 2 sources.'],
  ['there is one of each', summary(1, 0, 0, 1), 'It knows 1 fact from 1 source.'],
])('%s', (_, given, words) => {
  expect(learningOf(given)).toMatchObject({ words })
})
