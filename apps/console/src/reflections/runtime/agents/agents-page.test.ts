import { expect, test } from 'vitest'
import type { AgentTestReport, SurfaceStatus } from '@parley/contracts'
import { describeAgentStatus, describeTestReport } from './agents-page.tsx'

const fresh: SurfaceStatus = { surface: 'public', status: 'fresh', differs: [], missing: [] }

test.each<[string, Partial<SurfaceStatus>, object]>([
  ['an up-to-date agent has no problems', {}, { label: 'Up to date', tone: 'good', problems: [] }],
  [
    '[P8] an outdated agent names the outdated parts',
    { status: 'stale', differs: ['the pack', 'the dossier'] },
    { label: 'Out of date', problems: ['Out of date: the pack.', 'Out of date: the dossier.'] },
  ],
  [
    '[P8] an agent that is not ready says why',
    { status: 'not_ready', missing: ['nothing is published'] },
    { label: 'Not ready', problems: ['Nothing is published.'] },
  ],
])('%s', (_, status, expected) => {
  expect(describeAgentStatus({ ...fresh, ...status })).toMatchObject(expected)
})

type TestVerdict = AgentTestReport['items'][number]['verdict']

test.each<[readonly TestVerdict[], string]>([
  [[undefined, undefined], '2 tests, not run yet.'],
  [['passed', 'passed'], '2 of 2 passed.'],
  [['passed', 'failed', 'unfinished'], '1 of 3 passed, 1 failed, 1 timed out.'],
])('[P14] %j: %s', (verdicts, expected) => {
  const agentTest = { kind: 'answer' as const, name: 'x', history: [] }
  const items = verdicts.map((verdict) => ({ test: agentTest, reasons: [], ...(verdict && { verdict }) }))
  expect(describeTestReport({ surface: 'public', warnings: [], items })).toBe(expected)
})
