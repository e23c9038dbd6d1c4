import { expect, test } from 'vitest'
import {
  type ChangeReflection,
  type Member,
  type MemberRole,
  type PersonId,
  PlatformError,
  type Role,
} from '@parley/contracts'
import { mayChangeMember, mayChangeReflection, mayMakeToken } from './may-change.ts'

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

const answerTo = (role: MemberRole, change: ChangeReflection) => {
  try {
    mayChangeReflection(role, change)
    return 'allowed'
  } catch (failure) {
    return failure instanceof PlatformError ? failure.code : String(failure)
  }
}

test.each<[string, ChangeReflection, string]>([
  ['choose a voice that is not consented to yet', { voice: { voiceId: 'v' } }, 'allowed'],
  ['take a voice away', { voice: null }, 'allowed'],
  ['rename it', { displayName: 'Ada' }, 'allowed'],
  ['consent for somebody', { voice: { voiceId: 'v', consent: true } }, 'forbidden'],
  ['say that a voice is nobody’s', { voice: { voiceId: 'v', kind: 'stock' } }, 'forbidden'],
  ['let visitors be learned from', { shareIngestion: true }, 'forbidden'],
  ['let what is said be learned by rule', { conversationApproval: 'by_rule' }, 'forbidden'],
  ['no longer let visitors be learned from', { shareIngestion: false }, 'forbidden'],
])('[V11] an owner may %s; an admin: %#', (_, change, ofAdmin) => {
  expect([answerTo('owner', change), answerTo('admin', change)]).toEqual(['allowed', ofAdmin])
})

const isMade = (onServer: Role, onReflection: MemberRole | undefined, role: Role): boolean => {
  try {
    mayMakeToken({ onServer, ...(onReflection && { onReflection }) }, role)
    return true
  } catch (failure) {
    expect(failure instanceof PlatformError && failure.code).toBe('forbidden')
    return false
  }
}

test.each<[string, Role, MemberRole | undefined, Role, boolean]>([
  ['an owner of the server makes another', 'owner', undefined, 'owner', true],
  ['an admin of the server makes no owner of it', 'admin', undefined, 'owner', false],
  ['an operator of the server makes nobody anything', 'operator', undefined, 'guest', false],
  ['who owns a reflection makes nobody anything on the server', 'viewer', undefined, 'viewer', false],
  ['who owns a reflection makes another owner of it', 'viewer', 'owner', 'owner', true],
  ['an admin of a reflection makes another', 'viewer', 'admin', 'admin', true],
  ['an admin of a reflection makes no owner of it', 'viewer', 'admin', 'owner', false],
  ['an admin of the server, too', 'admin', 'admin', 'owner', false],
  ['an operator of a reflection makes no guest of it', 'admin', 'operator', 'guest', false],
])('[A2] %s', (_, onServer, onReflection, role, expected) => {
  expect(isMade(onServer, onReflection, role)).toBe(expected)
})
