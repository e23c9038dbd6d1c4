import { expect, test } from 'vitest'
import { isLocalUrl, getShareLinkState } from './share-link.ts'

const NOW = Date.parse('2026-01-02T00:00:00Z')

test.each<[string, Parameters<typeof getShareLinkState>[0], ReturnType<typeof getShareLinkState>]>([
  ['without limits is active', { uses: 9 }, 'active'],
  ['with uses left is active', { uses: 1, maxUses: 2 }, 'active'],
  ['is used up after its last use', { uses: 2, maxUses: 2 }, 'used_up'],
  ['expires at its time', { uses: 0, expiresAt: '2026-01-02T00:00:00Z' }, 'expired'],
  ['is active until then', { uses: 0, expiresAt: '2026-01-02T00:00:01Z' }, 'active'],
  ['that is revoked is nothing else', { uses: 2, maxUses: 2, revokedAt: '2026-01-01T00:00:00Z' }, 'revoked'],
])('[V17] a link %s', (_, link, expected) => expect(getShareLinkState(link, NOW)).toBe(expected))

test.each([
  ['http://127.0.0.1:4400/r/shr_made-up', true],
  ['http://localhost/r/shr_made-up', true],
  ['http://LOCALHOST:4400', true],
  ['http://[::1]:4400/r/shr_made-up', true],
  ['http://127.5.0.9/', true],
  ['https://talk.example.org/r/shr_made-up', false],
  ['http://192.168.1.20:4400/r/shr_made-up', false],
  ['https://localhost.example.org/', false],
  ['https://talk.example.org/?from=http://127.0.0.1/', false],
])('%s works on this machine only: %s', (url, isLocal) => {
  expect(isLocalUrl(url)).toBe(isLocal)
})
