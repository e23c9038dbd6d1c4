import type { Member, MemberRole, PersonId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { findAllowedChanges } from './members-page.tsx'

const member = (role: MemberRole, id = role): Member => ({
  personId: `per_${id}` as PersonId,
  label: id,
  role,
  namespaces: 'all',
})
const owner = member('owner')
const admin = member('admin')
const viewer = member('viewer')

test.each<[string, MemberRole | undefined, readonly Member[], Member, readonly MemberRole[]]>([
  ['an owner can change an admin', 'owner', [owner, admin], admin, ['owner', 'admin', 'operator', 'viewer']],
  [
    'an admin can change a viewer, up to admin',
    'admin',
    [owner, viewer],
    viewer,
    ['admin', 'operator', 'viewer'],
  ],
  ['an admin cannot change an owner', 'admin', [owner, admin], owner, []],
  ['the last owner cannot be changed', 'owner', [owner, admin], owner, []],
  [
    'one of two owners can be changed',
    'owner',
    [owner, member('owner', 'viewer')],
    owner,
    ['owner', 'admin', 'operator', 'viewer'],
  ],
  ['a person without a role can change nobody', undefined, [owner, viewer], viewer, []],
])('[A1] %s', (_, own, members, target, roles) => {
  expect(findAllowedChanges(own, members, target)).toEqual({ roles, mayRemove: roles.length > 0 })
})
