import { expect, test } from 'vitest'
import type { Reflection, ReflectionSummary } from '@parley/contracts'
import { chooseMainReflection, toImportProgress } from './home-page.tsx'

const summary = (learned: number, busy: number, wrong: number, ...facts: readonly number[]) => ({
  sources: { learned, busy, wrong },
  waiting: 0,
  namespaces: facts.map((count, at) => ({ name: `part-${at}`, sources: 1, facts: count })),
})

test.each<[string, ReflectionSummary, string]>([
  ['there are no sources', summary(0, 0, 0), 'No sources yet.'],
  ['the import has just started', summary(0, 2, 0), 'Importing: 0 of 2 sources.'],
  ['the import is running', summary(1, 1, 1, 3), 'Importing: 2 of 3 sources.'],
  ['everything is imported, apart from failures', summary(2, 0, 1, 3, 1), 'It knows 4 facts from 2 sources.'],
  ['there is one of each', summary(1, 0, 0, 1), 'It knows 1 fact from 1 source.'],
])('%s', (_, given, text) => {
  expect(toImportProgress(given)).toMatchObject({ text })
})

type Listed = Pick<Reflection, 'voice'> & { readonly name: string }

const SILENT: Listed = { name: 'just made' }
const CLONED: Listed = { name: 'not consented', voice: { voiceId: 'a', kind: 'clone', consent: false } }
const SPEAKING: Listed = { name: 'speaks', voice: { voiceId: 'b', kind: 'stock', consent: false } }

test.each<[string, readonly Listed[], Listed | undefined]>([
  ['a reflection with a voice comes before a newer one without', [SILENT, CLONED, SPEAKING], SPEAKING],
  ['without any voice, the latest', [SILENT, CLONED], SILENT],
  ['none', [], undefined],
])('%s', (_, reflections, expected) => {
  expect(chooseMainReflection(reflections)).toBe(expected)
})
