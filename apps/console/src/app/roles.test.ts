import type { MemberRole } from '@parley/contracts'
import { expect, test } from 'vitest'
import { toRights, rolesUpTo } from './roles.ts'

test.each<[MemberRole | undefined, boolean, boolean]>([
  ['owner', true, true],
  ['admin', true, true],
  ['operator', true, false],
  ['viewer', false, false],
  [undefined, false, false],
])('[A1] the role %s gets the actions it may perform', (role, mayTeach, mayManage) => {
  expect(toRights(role)).toEqual({ role, mayTeach, mayManage })
})

test('[A1] nobody can assign a role above their own', () => {
  expect(rolesUpTo('admin')).toEqual(['admin', 'operator', 'viewer'])
  expect(rolesUpTo(undefined)).toEqual([])
})
