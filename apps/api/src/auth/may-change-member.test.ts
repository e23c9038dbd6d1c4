import { type Member, type MemberRole, type PersonId, PlatformError } from '@parley/contracts'
import { expect, test } from 'vitest'
import { mayChangeMember } from './may-change-member.ts'

const member = (name: string, role: MemberRole) => ({ personId: `per_${name}` as PersonId, role }) as Member
const one = [member('ada', 'owner'), member('bob', 'admin'), member('eve', 'viewer')]
const two = [...one, member('zoe', 'owner')]

function refusalOf(own: MemberRole, members: readonly Member[], name: string, role?: MemberRole) {
  try {
    mayChangeMember(own, members, { personId: `per_${name}` as PersonId, ...(role && { role }) })
    return undefined
  } catch (failure) {
    return failure instanceof PlatformError ? failure.code : failure
  }
}

test.each<[string, MemberRole, readonly Member[], string, MemberRole | undefined, string | undefined]>([
  ['an owner makes a viewer an owner', 'owner', one, 'eve', 'owner', undefined],
  ['an owner lets in somebody new', 'owner', one, 'new', 'owner', undefined],
  ['an admin lets in another admin', 'admin', one, 'new', 'admin', undefined],
  ['an admin lets a viewer out', 'admin', one, 'eve', undefined, undefined],
  ['an admin lets out another admin', 'admin', one, 'bob', undefined, undefined],
  ['an admin makes nobody an owner', 'admin', one, 'eve', 'owner', 'forbidden'],
  ['an admin lets in no owner', 'admin', one, 'new', 'owner', 'forbidden'],
  ['an admin takes no owner’s rank', 'admin', two, 'ada', 'viewer', 'forbidden'],
  ['an admin lets no owner out', 'admin', two, 'ada', undefined, 'forbidden'],
  ['an operator makes nobody an admin', 'operator', one, 'eve', 'admin', 'forbidden'],
  ['who is no member is let out without harm', 'owner', one, 'new', undefined, undefined],
  ['one of two owners becomes an admin', 'owner', two, 'ada', 'admin', undefined],
  ['one of two owners is let out', 'owner', two, 'ada', undefined, undefined],
  ['the only owner stays one', 'owner', one, 'ada', 'owner', undefined],
  ['the only owner does not become an admin', 'owner', one, 'ada', 'admin', 'validation'],
  ['the only owner is not let out', 'owner', one, 'ada', undefined, 'validation'],
  ['an admin of a reflection with one owner leaves', 'owner', one, 'bob', undefined, undefined],
])('[A1] %s', (_, own, members, name, role, expected) => {
  expect(refusalOf(own, members, name, role)).toBe(expected)
})
