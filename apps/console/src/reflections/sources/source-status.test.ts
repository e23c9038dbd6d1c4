import { IngestPhase, type Source, type SourceId } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { announcementOf, sourceStanding } from './source-status.ts'

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
  [{ state: 'queued' }, 'busy', 'Waits for its turn'],
  [{ state: 'running' }, 'busy', 'Begins'],
  [{ state: 'running', phase: 'facts', progress: { done: 3, total: 10 } }, 'busy', 'Finding facts, 3 of 10'],
  [{ state: 'completed', chunks: 14, facts: 1 }, 'done', 'Learned: 14 chunks, 1 fact'],
  [
    { state: 'duplicate_skipped', chunks: 1, facts: 0 },
    'done',
    'Nothing new in it: 1 chunk, 0 facts from before',
  ],
  [{ state: 'eval_rejected' }, 'wrong', 'Rejected by the rules'],
  [{ state: 'failed' }, 'wrong', 'Could not be learned'],
  [{ state: 'removing' }, 'busy', 'Is being removed'],
])('[K4] a source that is %j is %s: %s', (given, kind, words) => {
  expect(sourceStanding(source(given))).toMatchObject({ kind, words })
})

interface PlaceInRun {
  readonly phase: number
  readonly done: number
  readonly total: number
}

const barOf = ({ phase, done, total }: PlaceInRun) =>
  sourceStanding(
    source({ state: 'running', phase: IngestPhase.options[phase], progress: { done, total } }),
  ).phases?.reduce((sum, each) => sum + each.done, 0) ?? -1

test('[K4] the bar only grows from phase to phase, and stays within its ends', () => {
  const progress = { done: fc.nat(20), total: fc.nat(20) }
  const before = fc.record({ phase: fc.nat(IngestPhase.options.length - 2), ...progress })
  fc.assert(
    fc.property(before, fc.record(progress), (one, later) => {
      const bars = [0, barOf(one), barOf({ phase: one.phase + 1, ...later }), IngestPhase.options.length]
      expect(bars).toEqual(bars.toSorted((a, b) => a - b))
    }),
  )
})

test.each<[readonly Source['state'][], string]>([
  [[], ''],
  [['queued', 'completed'], '1 source is being worked on.'],
  [['queued', 'running'], '2 sources are being worked on.'],
  [['completed'], 'All sources are learned.'],
  [['completed', 'failed'], 'All are done; 1 could not be learned.'],
])('[K4] of %j is said: %s', (states, words) => {
  expect(announcementOf(states.map((state) => source({ state })))).toBe(words)
})
