import { IngestPhase, type Source, Source as SourceShape } from '@parley/contracts'
import { expect, test } from 'vitest'
import { isImporting, describeState, calculatePercent } from './source-progress.ts'

const source = SourceShape.parse({
  id: 'src_1',
  title: 'Letter',
  namespace: 'general',
  mediaType: 'text/plain',
  bytes: 3,
  addedAt: '2026-01-01T00:00:00.000Z',
  state: 'running',
  chunks: 2,
  facts: 3,
})

test.each<[string, Partial<Source>, number]>([
  ['a queued source is at 0', { state: 'queued' }, 0],
  ['a running source without a phase is at 0', {}, 0],
  ['the first phase starts at 0', { phase: 'read' }, 0],
  ['each phase is a sixth', { phase: 'split' }, 33],
  ['progress within a phase counts', { phase: 'facts', progress: { done: 1, total: 2 } }, 58],
  ['a phase without a total adds nothing', { phase: 'facts', progress: { done: 0, total: 0 } }, 50],
  ['progress stops at 100', { phase: 'apply', progress: { done: 5, total: 2 } }, 100],
  ['a finished source is at 100', { state: 'failed' }, 100],
])('%s', (_, given, percent) => {
  expect(calculatePercent({ ...source, ...given })).toBe(percent)
})

test('progress never decreases between phases', () => {
  const percents = IngestPhase.options.map((phase) => calculatePercent({ ...source, phase }))
  expect(percents).toEqual(percents.toSorted((one, other) => one - other))
})

test('counts of one are singular', () => {
  expect(describeState({ ...source, state: 'completed', chunks: 1, facts: 1 })).toBe(
    'completed: 1 passage, 1 fact',
  )
})

test.each(SourceShape.shape.state.options)('the state %s has a description', (state) => {
  expect(describeState({ ...source, state })).toMatch(/\w/)
  expect(isImporting({ ...source, state })).toBe(state === 'queued' || state === 'running')
})
