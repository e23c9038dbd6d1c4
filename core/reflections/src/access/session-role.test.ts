import type { PersonId, ReflectionId, Role } from '@parley/contracts'
import { expect, test } from 'vitest'
import {
  findCurrentReach,
  findCurrentRole,
  isBeyondReach,
  type NamespaceReach,
  type SessionRoleHost,
} from './session-role.ts'

const NOON = Date.parse('2026-01-01T12:00:00.000Z')
const ONE_LATER = '2026-01-01T12:00:00.001Z'

interface Now {
  readonly role?: Role
  readonly link?: { readonly revokedAt?: string; readonly expiresAt?: string }
  readonly isRemoved?: true
}

const stored = { reflectionId: 'rfl_1' as ReflectionId, personId: 'per_ada' as PersonId }

const createHost = ({ role, link, isRemoved }: Now) =>
  ({
    findReflectionRole: async () => role,
    reflections: { find: async () => (isRemoved ? undefined : {}) },
    shareLinks: { find: async () => link },
    now: () => NOON,
  }) as unknown as SessionRoleHost

test.each<[string, Role, Now, Role | undefined]>([
  ['a member with the same role', 'operator', { role: 'operator' }, 'operator'],
  ['a member who was demoted', 'operator', { role: 'viewer' }, 'viewer'],
  ['a member who was promoted', 'viewer', { role: 'owner' }, 'viewer'],
  ['a removed member', 'operator', {}, undefined],
])('[V4] the current role in a session of %s', async (_, role, now, expected) => {
  expect(await findCurrentRole({ ...stored, role }, createHost(now))).toBe(expected)
})

test.each<[string, Now, Role | undefined]>([
  ['a working link', { link: {} }, 'guest'],
  ['a link that expires a moment later', { link: { expiresAt: ONE_LATER } }, 'guest'],
  ['a link that expires now', { link: { expiresAt: new Date(NOON).toISOString() } }, undefined],
  ['a revoked link', { link: { revokedAt: ONE_LATER } }, undefined],
  [
    'a link that was revoked with time left',
    { link: { revokedAt: ONE_LATER, expiresAt: ONE_LATER } },
    undefined,
  ],
  ['a removed link', {}, undefined],
  ['a removed reflection', { link: {}, isRemoved: true }, undefined],
])('[V17] the current role of a visitor with %s', async (_, now, expected) => {
  const visitor = { ...stored, shareLinkId: 'lnk_1', role: 'guest' } as const
  expect(await findCurrentRole(visitor, createHost({ role: 'owner', ...now }))).toBe(expected)
})

const reach: NamespaceReach = {
  namespaces: ['essays', 'garden'],
  capability: new Uint8Array(),
}
type Member = { readonly reach?: NamespaceReach } | undefined

test.each<[string, object, Member, NamespaceReach | undefined]>([
  ['a member with a reach', { sessionAudience: 'private' }, { reach }, reach],
  ['a member who reaches everything', { sessionAudience: 'private' }, {}, undefined],
  ['a former member', { sessionAudience: 'private' }, undefined, undefined],
  ['a visitor', { sessionAudience: 'private', shareLinkId: 'lnk_1' }, { reach }, undefined],
  ['a public session', { sessionAudience: 'public' }, { reach }, undefined],
])('[V4] the current reach of %s', async (_, given, member, expected) => {
  const session = { ...stored, ...given } as Parameters<typeof findCurrentReach>[0]
  const reflections = { findMember: async () => member } as unknown as Parameters<
    typeof findCurrentReach
  >[1]['reflections']
  expect(await findCurrentReach(session, { reflections })).toBe(expected)
})

test.each<[string, readonly string[], NamespaceReach | undefined, boolean]>([
  ['a member who reaches everything', ['diary'], undefined, false],
  ['all namespaces within reach', ['essays', 'garden'], reach, false],
  ['one of two namespaces beyond reach', ['essays', 'diary'], reach, true],
  ['a prompt without namespaces', [], reach, false],
])('[V4] whether a prompt is beyond reach: %s', (_, namespaces, now, expected) => {
  expect(isBeyondReach({ namespaces }, now)).toBe(expected)
})
