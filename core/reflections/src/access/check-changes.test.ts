import { expect, test } from 'vitest'
import {
  type ChangeReflection,
  type Member,
  type MemberRole,
  type PersonId,
  PlatformError,
  type Role,
} from '@parley/contracts'
import { checkMemberChange, checkReflectionChange, checkTokenRole } from './check-changes.ts'

const member = (name: string, role: MemberRole) => ({ personId: `per_${name}` as PersonId, role }) as Member
const one = [member('ada', 'owner'), member('bob', 'admin'), member('eve', 'viewer')]
const two = [...one, member('zoe', 'owner')]

function findRefusal(own: MemberRole, members: readonly Member[], name: string, role?: MemberRole) {
  try {
    checkMemberChange(own, members, { personId: `per_${name}` as PersonId, ...(role && { role }) })
    return undefined
  } catch (failure) {
    return failure instanceof PlatformError ? failure.code : failure
  }
}

test.each<[string, MemberRole, readonly Member[], string, MemberRole | undefined, string | undefined]>([
  ['an owner makes a viewer an owner', 'owner', one, 'eve', 'owner', undefined],
  ['an owner adds a new owner', 'owner', one, 'new', 'owner', undefined],
  ['an admin adds another admin', 'admin', one, 'new', 'admin', undefined],
  ['an admin removes a viewer', 'admin', one, 'eve', undefined, undefined],
  ['an admin removes another admin', 'admin', one, 'bob', undefined, undefined],
  ['an admin cannot make a viewer an owner', 'admin', one, 'eve', 'owner', 'forbidden'],
  ['an admin cannot add an owner', 'admin', one, 'new', 'owner', 'forbidden'],
  ['an admin cannot demote an owner', 'admin', two, 'ada', 'viewer', 'forbidden'],
  ['an admin cannot remove an owner', 'admin', two, 'ada', undefined, 'forbidden'],
  ['an operator cannot make a viewer an admin', 'operator', one, 'eve', 'admin', 'forbidden'],
  ['removing a non-member is allowed', 'owner', one, 'new', undefined, undefined],
  ['one of two owners becomes an admin', 'owner', two, 'ada', 'admin', undefined],
  ['one of two owners is removed', 'owner', two, 'ada', undefined, undefined],
  ['the only owner stays an owner', 'owner', one, 'ada', 'owner', undefined],
  ['the only owner cannot become an admin', 'owner', one, 'ada', 'admin', 'validation'],
  ['the only owner cannot be removed', 'owner', one, 'ada', undefined, 'validation'],
  ['an admin of a reflection with one owner leaves', 'owner', one, 'bob', undefined, undefined],
])('[A1] %s', (_, own, members, name, role, expected) => {
  expect(findRefusal(own, members, name, role)).toBe(expected)
})

const answerTo = (role: MemberRole, change: ChangeReflection) => {
  try {
    checkReflectionChange(role, change)
    return 'allowed'
  } catch (failure) {
    return failure instanceof PlatformError ? failure.code : String(failure)
  }
}

test.each<[string, ChangeReflection, string]>([
  ['choose a voice without consent', { voice: { voiceId: 'v' } }, 'allowed'],
  ['remove the voice', { voice: null }, 'allowed'],
  ['rename it', { displayName: 'Ada' }, 'allowed'],
  ['consent to a voice', { voice: { voiceId: 'v', consent: true } }, 'forbidden'],
  ['mark a voice as a stock voice', { voice: { voiceId: 'v', kind: 'stock' } }, 'forbidden'],
  ['turn on learning from visitors', { shareIngestion: true }, 'forbidden'],
  ['approve facts from sessions by rule', { conversationApproval: 'by_rule' }, 'forbidden'],
  ['turn off learning from visitors', { shareIngestion: false }, 'forbidden'],
])('[V11] an owner may %s; an admin: %#', (_, change, ofAdmin) => {
  expect([answerTo('owner', change), answerTo('admin', change)]).toEqual(['allowed', ofAdmin])
})

const isMade = (onServer: Role, onReflection: MemberRole | undefined, role: Role): boolean => {
  try {
    checkTokenRole({ onServer, ...(onReflection && { onReflection }) }, role)
    return true
  } catch (failure) {
    expect(failure instanceof PlatformError && failure.code).toBe('forbidden')
    return false
  }
}

test.each<[string, Role, MemberRole | undefined, Role, boolean]>([
  ['an owner of the server creates another owner', 'owner', undefined, 'owner', true],
  ['an admin of the server creates no owner', 'admin', undefined, 'owner', false],
  ['an operator of the server creates no token', 'operator', undefined, 'guest', false],
  ['an owner of a reflection creates no server token', 'viewer', undefined, 'viewer', false],
  ['an owner of a reflection creates another owner of it', 'viewer', 'owner', 'owner', true],
  ['an admin of a reflection creates another admin', 'viewer', 'admin', 'admin', true],
  ['an admin of a reflection creates no owner of it', 'viewer', 'admin', 'owner', false],
  ['an admin of both creates no owner of the reflection', 'admin', 'admin', 'owner', false],
  ['an operator of a reflection creates no guest token', 'admin', 'operator', 'guest', false],
])('[A2] %s', (_, onServer, onReflection, role, expected) => {
  expect(isMade(onServer, onReflection, role)).toBe(expected)
})
