import { expect, test } from 'vitest'
import type { Reflection, ReflectionSummary } from '@parley/contracts'
import { firstToTalkWith, learningOf } from './home-page.tsx'

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

type Listed = Pick<Reflection, 'voice'> & { readonly name: string }

const silent: Listed = { name: 'just made' }
const cloned: Listed = { name: 'not consented', voice: { voiceId: 'a', kind: 'clone', consent: false } }
const speaks: Listed = { name: 'speaks', voice: { voiceId: 'b', kind: 'stock', consent: false } }

test.each<[string, readonly Listed[], Listed | undefined]>([
  ['one that was just made does not take the place of one that speaks', [silent, cloned, speaks], speaks],
  ['where none speaks, the latest', [silent, cloned], silent],
  ['none', [], undefined],
])('%s', (_, reflections, expected) => {
  expect(firstToTalkWith(reflections)).toBe(expected)
})
