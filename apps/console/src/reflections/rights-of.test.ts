import { type Me, type Member, MemberRole, type PersonId, Role } from '@parley/contracts'
import { expect, test } from 'vitest'
import { rightsOf, rolesUpTo } from './rights-of.ts'

const person = 'per_1' as PersonId
const me = (role: Role): Me => ({ personId: person, label: 'Ada', role })
const member = (role: MemberRole): Member => ({ personId: person, label: 'Ada', role })

test.each(MemberRole.options)('[A1] what the role %s on the reflection may do is offered', (role) => {
  expect(rightsOf(me('viewer'), [member(role)])).toEqual({
    role,
    mayManage: role === 'owner' || role === 'admin',
  })
})

test('[A1] who may not even read the members is offered nothing that takes an admin', () => {
  expect(rightsOf(me('admin'), undefined)).toEqual({ role: undefined, mayManage: false })
})

test('[A1] the owner of the server may do everything, member or not', () => {
  expect(rightsOf(me('owner'), undefined)).toEqual({ role: 'owner', mayManage: true })
})

test('[A1] nobody is offered a role above their own to give', () => {
  expect(rolesUpTo('admin')).toEqual(['admin', 'operator', 'viewer'])
  expect(rolesUpTo(undefined)).toEqual([])
})
