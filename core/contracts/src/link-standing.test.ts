import { expect, test } from 'vitest'
import { linkStanding } from './link-standing.ts'

const NOW = Date.parse('2026-01-02T00:00:00Z')

test.each<[string, Parameters<typeof linkStanding>[0], ReturnType<typeof linkStanding>]>([
  ['one without bounds is good', { uses: 9 }, 'good'],
  ['one with uses left is good', { uses: 1, maxUses: 2 }, 'good'],
  ['the last use uses it up', { uses: 2, maxUses: 2 }, 'used_up'],
  ['it is over at its time', { uses: 0, expiresAt: '2026-01-02T00:00:00Z' }, 'over'],
  ['until then it is not', { uses: 0, expiresAt: '2026-01-02T00:00:01Z' }, 'good'],
  ['revoked it is, whatever else', { uses: 2, maxUses: 2, revokedAt: '2026-01-01T00:00:00Z' }, 'revoked'],
])('[V17] %s', (_, link, expected) => expect(linkStanding(link, NOW)).toBe(expected))
