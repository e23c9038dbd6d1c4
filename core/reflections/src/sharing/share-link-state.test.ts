import { expect, test } from 'vitest'
import { keepsSessionsOpen, getShareLinkState, type ShareLinkState } from './share-link-state.ts'

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
  ['that was revoked with time left', { uses: 0, revokedAt: AT_NOON, expiresAt: LATER }, 'revoked', false],
])('[V17] a link %s', (_, link, state, keepsOpen) => {
  expect(getShareLinkState(link, NOON)).toBe(state)
  expect(keepsSessionsOpen(link, NOON)).toBe(keepsOpen)
})
