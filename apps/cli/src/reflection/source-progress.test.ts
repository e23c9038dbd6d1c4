import { IngestPhase, type Source, Source as SourceShape } from '@parley/contracts'
import { expect, test } from 'vitest'
import { isUnderWay, outcomeText, progressPercent } from './source-progress.ts'

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
  ['what waits has not begun', { state: 'queued' }, 0],
  ['what runs in no phase yet has not begun', {}, 0],
  ['the first phase begins at nothing', { phase: 'read' }, 0],
  ['each phase is a sixth', { phase: 'split' }, 33],
  ['what is done of a phase counts', { phase: 'facts', progress: { done: 1, total: 2 } }, 58],
  ['a phase without a whole counts nothing', { phase: 'facts', progress: { done: 0, total: 0 } }, 50],
  ['more than all is all', { phase: 'apply', progress: { done: 5, total: 2 } }, 100],
  ['what has its outcome is done', { state: 'failed' }, 100],
])('%s', (_, given, percent) => {
  expect(progressPercent({ ...source, ...given })).toBe(percent)
})

test('no phase goes back', () => {
  const percents = IngestPhase.options.map((phase) => progressPercent({ ...source, phase }))
  expect(percents).toEqual(percents.toSorted((one, other) => one - other))
})

test('one is told as one', () => {
  expect(outcomeText({ ...source, state: 'completed', chunks: 1, facts: 1 })).toBe(
    'completed: 1 chunk, 1 fact',
  )
})

test.each(SourceShape.shape.state.options)('%s is said in words', (state) => {
  expect(outcomeText({ ...source, state })).toMatch(/\w/)
  expect(isUnderWay({ ...source, state })).toBe(state === 'queued' || state === 'running')
})
