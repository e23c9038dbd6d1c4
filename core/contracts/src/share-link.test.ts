import { expect, test } from 'vitest'
import {
  CreateShareLink,
  type ShareLinkState,
  getShareLinkState,
  isLocalUrl,
  keepsSessionsOpen,
} from './share-link.ts'

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

const NOON = Date.parse('2026-01-01T12:00:00.000Z')
const AT_NOON = '2026-01-01T12:00:00.000Z'
const LATER = '2026-01-01T12:00:00.001Z'

test.each<[string, Parameters<typeof getShareLinkState>[0], ShareLinkState, boolean]>([
  ['without limits', { uses: 7 }, 'active', true],
  ['with uses left', { uses: 1, maxUses: 2 }, 'active', true],
  ['that expires a moment later', { uses: 0, expiresAt: LATER }, 'active', true],
  ['with all uses taken', { uses: 2, maxUses: 2 }, 'used_up', true],
  ['that expires now', { uses: 0, expiresAt: AT_NOON }, 'expired', false],
  ['that expired with all uses taken', { uses: 2, maxUses: 2, expiresAt: AT_NOON }, 'expired', false],
  ['that was revoked with all uses taken', { uses: 2, maxUses: 2, revokedAt: AT_NOON }, 'revoked', false],
  ['that was revoked with time left', { uses: 0, revokedAt: AT_NOON, expiresAt: LATER }, 'revoked', false],
])('[V17] a link %s', (_, link, state, keepsOpen) => {
  expect(getShareLinkState(link, NOON)).toBe(state)
  expect(keepsSessionsOpen(link, NOON)).toBe(keepsOpen)
})

const names = (count: number) => Array.from({ length: count }, (_, index) => `folder-${index}`)

test.each<[string, object, boolean]>([
  ['without limits', {}, true],
  ['to one namespace', { namespaces: names(1) }, true],
  ['to a hundred namespaces', { namespaces: names(100) }, true],
  ['to no namespace', { namespaces: [] }, false],
  ['to more than a hundred namespaces', { namespaces: names(101) }, false],
  ['with one use', { maxUses: 1 }, true],
  ['with a million uses', { maxUses: 1_000_000 }, true],
  ['without a use', { maxUses: 0 }, false],
  ['with more than a million uses', { maxUses: 1_000_001 }, false],
  ['that expires at a time of another zone', { expiresAt: '2026-01-01T12:00:00+02:00' }, true],
  ['that expires on a day', { expiresAt: '2026-01-01' }, false],
])('[V17] a link %s is accepted or refused at its creation', (_, link, isValid) => {
  expect(CreateShareLink.safeParse(link).success).toBe(isValid)
})
