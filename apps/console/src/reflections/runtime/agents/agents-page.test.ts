import { expect, test } from 'vitest'
import type { AgentTestReport, SurfaceStatus } from '@parley/contracts'
import { surfaceStanding, testsInWords } from './agents-page.tsx'

const fresh: SurfaceStatus = { surface: 'public', status: 'fresh', differs: [], missing: [] }

test.each<[string, Partial<SurfaceStatus>, object]>([
  ['what is current has nothing against it', {}, { label: 'Current', look: 'good', reasons: [] }],
  [
    '[P8] what is out of date says in what',
    { status: 'stale', differs: ['the pack', 'the dossier'] },
    { label: 'Out of date', reasons: ['Differs: the pack.', 'Differs: the dossier.'] },
  ],
  [
    '[P8] what cannot be yet says what is missing',
    { status: 'not_ready', missing: ['nothing is published'] },
    { label: 'Not ready', reasons: ['Missing: nothing is published.'] },
  ],
])('%s', (_, status, expected) => {
  expect(surfaceStanding({ ...fresh, ...status })).toMatchObject(expected)
})

type Verdict = AgentTestReport['items'][number]['verdict']

test.each<[readonly Verdict[], string]>([
  [[undefined, undefined], '2 tests, not run yet.'],
  [['passed', 'passed'], '2 of 2 passed.'],
  [['passed', 'failed', 'unfinished'], '1 of 3 passed, 1 failed, 1 did not end in time.'],
])('[P14] %j: %s', (verdicts, expected) => {
  const trial = { kind: 'answer' as const, name: 'x', history: [] }
  const items = verdicts.map((verdict) => ({ test: trial, reasons: [], ...(verdict && { verdict }) }))
  expect(testsInWords({ surface: 'public', warnings: [], items })).toBe(expected)
})
