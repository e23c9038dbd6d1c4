import type { ProviderHealth } from '@parley/contracts'
import { expect, test } from 'vitest'
import { providerInWords } from './providers-section.tsx'

const NOW = Date.parse('2026-03-01T10:00:00.000Z')
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()

test.each<[Partial<ProviderHealth>, string]>([
  [{ state: 'working', workedAt: ago(0) }, 'answers, last just now'],
  [{ state: 'working', workedAt: ago(5) }, 'answers, last 5 min ago'],
  [{ state: 'working' }, 'answers, it is a part of Parley'],
  [{ state: 'failing', failingSince: ago(120) }, 'does not answer, since 2 h ago'],
  [{ state: 'untried' }, 'was not asked yet'],
  [{ state: 'not_set_up' }, 'is not set up'],
])('%o: %s', (given, expected) => {
  expect(providerInWords({ name: 'acme', kind: 'model', state: 'untried', ...given }, NOW)).toBe(expected)
})
