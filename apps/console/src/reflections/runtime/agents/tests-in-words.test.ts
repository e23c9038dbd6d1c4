import type { AgentTestReport } from '@parley/contracts'
import { expect, test } from 'vitest'
import { testsInWords } from './tests-in-words.ts'

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
