import type { PersonId, ReflectionId, Role } from '@parley/contracts'
import type { MemberReach } from '@parley/knowledge'
import { expect, test } from 'vitest'
import { isBeyondReach, reachOf, type StandingHost, standingOf } from './standing-of.ts'

const NOON = Date.parse('2026-01-01T12:00:00.000Z')
const ONE_LATER = '2026-01-01T12:00:00.001Z'

interface Now {
  readonly role?: Role
  readonly link?: { readonly revokedAt?: string; readonly expiresAt?: string }
  readonly isRemoved?: true
}

const stored = { reflectionId: 'rfl_1' as ReflectionId, personId: 'per_ada' as PersonId }

const hostOf = ({ role, link, isRemoved }: Now) =>
  ({
    roleOn: async () => role,
    reflections: { find: async () => (isRemoved ? undefined : {}) },
    shareLinks: { find: async () => link },
  }) as unknown as StandingHost

test.each<[string, Role, Now, Role | undefined]>([
  ['a member as before', 'operator', { role: 'operator' }, 'operator'],
  ['a member who was demoted', 'operator', { role: 'viewer' }, 'viewer'],
  ['a member who was promoted', 'viewer', { role: 'owner' }, 'viewer'],
  ['a member who was let out', 'operator', {}, undefined],
])('[V4] what somebody is in a session now: %s', async (_, role, now, expected) => {
  expect(await standingOf({ ...stored, role }, hostOf(now))).toBe(expected)
})

test.each<[string, Now, Role | undefined]>([
  ['a link that is good', { link: {} }, 'guest'],
  ['a link that is good a moment longer', { link: { expiresAt: ONE_LATER } }, 'guest'],
  ['a link that is over just now', { link: { expiresAt: new Date(NOON).toISOString() } }, undefined],
  ['a link that was revoked', { link: { revokedAt: ONE_LATER } }, undefined],
  [
    'a link that was revoked, and had time left',
    { link: { revokedAt: ONE_LATER, expiresAt: ONE_LATER } },
    undefined,
  ],
  ['no link any more', {}, undefined],
  ['a reflection that was removed', { link: {}, isRemoved: true }, undefined],
])('[V17] what a visitor is in a session now: %s', async (_, now, expected) => {
  const visitor = { ...stored, shareLinkId: 'lnk_1', role: 'guest' } as const
  expect(await standingOf(visitor, hostOf({ role: 'owner', ...now }), NOON)).toBe(expected)
})

const reach: MemberReach = {
  chosen: ['essays'],
  namespaces: ['essays', 'garden'],
  capability: new Uint8Array(),
}
type Member = { readonly reach?: MemberReach } | undefined

test.each<[string, object, Member, MemberReach | undefined]>([
  ['a member with a reach', { sessionAudience: 'private' }, { reach }, reach],
  ['a member who reaches everything', { sessionAudience: 'private' }, {}, undefined],
  ['who is no member any more', { sessionAudience: 'private' }, undefined, undefined],
  ['a visitor', { sessionAudience: 'private', shareLinkId: 'lnk_1' }, { reach }, undefined],
  ['a public session', { sessionAudience: 'public' }, { reach }, undefined],
])('[V4] how much somebody reaches now: %s', async (_, given, member, expected) => {
  const session = { ...stored, ...given } as Parameters<typeof reachOf>[0]
  const reflections = { memberOf: async () => member } as unknown as Parameters<
    typeof reachOf
  >[1]['reflections']
  expect(await reachOf(session, { reflections })).toBe(expected)
})

test.each<[string, readonly string[], MemberReach | undefined, boolean]>([
  ['who reaches everything', ['diary'], undefined, false],
  ['all of it within reach', ['essays', 'garden'], reach, false],
  ['one of two beyond reach', ['essays', 'diary'], reach, true],
  ['a session that was told nothing', [], reach, false],
])('[V4] whether a session was told what is beyond reach: %s', (_, namespaces, now, expected) => {
  expect(isBeyondReach({ namespaces }, now)).toBe(expected)
})
