import { expect, test } from 'vitest'
import { statusLine } from './status-line.ts'

test.each([
  [{}, ''],
  [{ agent: 'Helper' }, 'Helper'],
  [{ agent: 'Offline', model: 'offline' }, 'Offline'],
  [
    { agent: 'Helper', model: 'small', contextUsed: 0.126, microcents: 0 },
    'Helper · small · 13 % of context · $0',
  ],
  [{ agent: 'Helper', microcents: 0, unpricedSteps: 1 }, 'Helper · cost unknown'],
  [{ agent: 'Helper', microcents: 1_230_000, unpricedSteps: 1 }, 'Helper · $0.0123 and unknown'],
])('%o reads "%s"', (status, expected) => {
  expect(statusLine(status)).toBe(expected)
})
