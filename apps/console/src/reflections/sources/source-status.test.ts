import { IngestPhase, type Source, type SourceId } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeProgress, getSourceStatus } from './source-status.ts'

const source = (given: Partial<Source>): Source => ({
  id: 'src_1' as SourceId,
  title: 'Letter',
  namespace: 'general',
  mediaType: 'text/plain',
  bytes: 10,
  addedAt: '2026-01-01T00:00:00.000Z',
  state: 'queued',
  chunks: 0,
  facts: 0,
  ...given,
})

test.each<[Partial<Source>, string, string]>([
  [{ state: 'queued' }, 'busy', 'Queued'],
  [{ state: 'running' }, 'busy', 'Starting'],
  [{ state: 'running', phase: 'facts', progress: { done: 3, total: 10 } }, 'busy', 'Finding facts, 3 of 10'],
  [{ state: 'completed', chunks: 14, facts: 1 }, 'done', 'Imported: 14 passages, 1 fact'],
  [
    { state: 'duplicate_skipped', chunks: 1, facts: 0 },
    'done',
    'No changes: 1 passage, 0 facts already imported',
  ],
  [{ state: 'eval_rejected' }, 'wrong', 'Rejected by the checks'],
  [{ state: 'failed' }, 'wrong', 'Import failed'],
  [{ state: 'removing' }, 'busy', 'Removing'],
])('[K4] the source %j is %s: %s', (given, kind, label) => {
  expect(getSourceStatus(source(given))).toMatchObject({ kind, label })
})

interface RunProgress {
  readonly phase: number
  readonly done: number
  readonly total: number
}

const barLength = ({ phase, done, total }: RunProgress) =>
  getSourceStatus(
    source({ state: 'running', phase: IngestPhase.options[phase], progress: { done, total } }),
  ).phases?.reduce((sum, each) => sum + each.done, 0) ?? -1

test('[K4] the bar never shrinks from phase to phase, and stays within its limits', () => {
  const progress = { done: fc.nat(20), total: fc.nat(20) }
  const before = fc.record({ phase: fc.nat(IngestPhase.options.length - 2), ...progress })
  fc.assert(
    fc.property(before, fc.record(progress), (one, later) => {
      const bars = [
        0,
        barLength(one),
        barLength({ phase: one.phase + 1, ...later }),
        IngestPhase.options.length,
      ]
      expect(bars).toEqual(bars.toSorted((a, b) => a - b))
    }),
  )
})

test.each<[readonly Source['state'][], string]>([
  [[], ''],
  [['queued', 'completed'], 'Importing 1 source.'],
  [['queued', 'running'], 'Importing 2 sources.'],
  [['completed'], 'All sources are imported.'],
  [['completed', 'failed'], 'Import finished; 1 failed.'],
])('[K4] for %j screen readers hear: %s', (states, text) => {
  expect(describeProgress(states.map((state) => source({ state })))).toBe(text)
})
