import type { ProviderHealth } from '@parley/contracts'
import { expect, test } from 'vitest'
import { describeProvider } from './health-sections.tsx'

const NOW = Date.parse('2026-03-01T10:00:00.000Z')
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()

test.each<[Partial<ProviderHealth>, string]>([
  [{ state: 'working', workedAt: minutesAgo(0) }, 'working, last used just now'],
  [{ state: 'working', workedAt: minutesAgo(5) }, 'working, last used 5 min ago'],
  [{ state: 'working' }, 'working (built in)'],
  [{ state: 'failing', failingSince: minutesAgo(120) }, 'failing since 2 h ago'],
  [{ state: 'untried' }, 'not used yet'],
  [{ state: 'not_set_up' }, 'not set up'],
])('%o: %s', (given, expected) => {
  expect(describeProvider({ name: 'acme', kind: 'model', state: 'untried', ...given }, NOW)).toBe(expected)
})
