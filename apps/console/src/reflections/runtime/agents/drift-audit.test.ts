import type { AgentDrift } from '@parley/contracts'
import { expect, test } from 'vitest'
import { driftInWords } from './drift-audit.tsx'

test.each<[readonly AgentDrift['status'][], string]>([
  [['not_made', 'not_made'], 'No agent has been made yet.'],
  [['as_wanted', 'not_made', 'not_comparable'], 'Nothing differs.'],
  [['as_wanted', 'gone'], 'One agent is not as it should be.'],
  [['differs', 'gone'], '2 agents are not as they should be.'],
])('[P13] %j: %s', (statuses, expected) => {
  const drifts = statuses.map((status) => ({ status, differences: [], beyond: [], why: [] }))
  const items = drifts.map((drift) => ({ ...drift, surface: 'public' as const }))
  const server = drifts.map((drift) => ({ ...drift, kind: 'generic' as const }))
  expect(driftInWords({ items, server: [] })).toBe(expected)
  expect(driftInWords({ items: [], server })).toBe(expected)
})
